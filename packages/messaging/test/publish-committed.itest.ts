import { createLogger } from '@cobro/runtime'
import { waitFor } from '@cobro/testing'
import type { OutboxRow } from '../src/outbox-row.ts'
import { publishCommitted } from '../src/publish-committed.ts'

const logger = createLogger('publish-committed-test', 'silent')

/** A process whose broker and database do what the test says. */
function committingProcess() {
  let commit: (rows: readonly OutboxRow[]) => void = () => undefined
  let fail = false
  const state = { connected: true, confirms: true, published: [] as string[], removed: [] as string[] }
  /** The messages of attempts: their events and traces. */
  const messages: { event: { id: string }; traceparent: string | null }[][] = []
  const warnings: unknown[] = []
  const remove = async (ids: string[]) => {
    if (fail) throw new Error('the database is away')
    state.removed.push(...ids)
  }
  const publish = async (exchange: string, _name: string, { id, body }: { id: string; body: Buffer }) => {
    if (!state.confirms) throw new Error('not confirmed')
    if (exchange === 'attempts') messages.push(JSON.parse(body.toString('utf8')).data.attempts)
    else state.published.push(id)
  }
  const never = () => Promise.reject(new Error('not part of this test'))
  const committed = publishCommitted({
    outbox: { remove, onMessages: listener => (commit = listener) },
    publisher: { connected: () => state.connected, publish, retryLater: never, deadLetter: never, close: never },
    logger: Object.assign(Object.create(logger), { warn: (_about: object, text: string) => warnings.push(text) }),
  })
  const failRemoving = () => {
    fail = true
  }
  return {
    ...{ state, messages, warnings, committed, failRemoving },
    commit: (...ids: string[]) => commit(ids.map(rowOf)),
    commitAttempts: (...ids: string[]) => commit(ids.map(attemptOf)),
  }
}

const rowOf = (id: string): OutboxRow => ({
  id,
  message_id: id,
  exchange: 'events',
  name: 'sucursal.created',
  correlation_id: null,
  body: Buffer.from('{}'),
  trace: {},
})

const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`

const attemptOf = (id: string): OutboxRow => ({
  ...rowOf(id),
  name: 'webhook.delivered',
  body: Buffer.from(JSON.stringify({ id })),
  trace: { traceparent },
})

test('committed messages wait for a broker that is away for a moment, and leave in their order', async () => {
  const { state, committed, commit } = committingProcess()
  state.connected = false
  commit('1', '2')
  commit('3')
  expect(state.published).toEqual([])
  expect(committed.has('3')).toBe(true)
  state.connected = true
  commit('4')
  await waitFor(() => state.removed.length === 4)
  expect(state.published).toEqual(['1', '2', '3', '4'])
  expect(state.removed).toEqual(['1', '2', '3', '4'])
  expect(committed.has('3')).toBe(false)
})

test('messages are left to the leader of the relay once the broker has been away for a second', async () => {
  const { state, committed, commit } = committingProcess()
  state.connected = false
  commit('1')
  await waitFor(() => !committed.has('1'))
  state.connected = true
  commit('2')
  await waitFor(() => state.removed.length > 0)
  expect(state.published).toEqual(['2'])
})

test('messages beyond 500 unconfirmed ones are left to the leader of the relay', async () => {
  const { state, committed, commit } = committingProcess()
  const ids = Array.from({ length: 500 }, (_, index) => String(index))
  commit(...ids)
  commit('beyond')
  expect(committed.has('beyond')).toBe(false)
  await committed.stop()
  expect(state.removed).toEqual(ids)
})

test('published rows that cannot be deleted are left to the leader of the relay', async () => {
  const { state, committed, commit, failRemoving } = committingProcess()
  failRemoving()
  commit('1')
  expect(committed.has('1')).toBe(true)
  await waitFor(() => !committed.has('1'))
  expect(state.published).toEqual(['1'])
})

test('unconfirmed messages are left to the leader of the relay, with one warning while the broker is connected', async () => {
  const { state, warnings, committed, commit } = committingProcess()
  state.confirms = false
  commit('1', '2')
  expect(committed.has('2')).toBe(true)
  await waitFor(() => !committed.has('1') && !committed.has('2'))
  state.confirms = true
  commit('3')
  await committed.stop()
  expect(state.removed).toEqual(['3'])
  expect(warnings).toEqual(['a message is left to the leader of the relay'])
})

test('messages whose connection is lost before their confirm are left to the leader of the relay without a warning', async () => {
  const { state, warnings, committed, commit } = committingProcess()
  state.confirms = false
  commit('1')
  state.connected = false
  await waitFor(() => !committed.has('1'))
  expect([state.removed, warnings]).toEqual([[], []])
})

test('the events of attempts are published together with their traces, and other events do not wait for them', async () => {
  const { state, messages, committed, commit, commitAttempts } = committingProcess()
  commitAttempts('1', '2')
  commit('other')
  commitAttempts('3')
  expect([state.published, messages, committed.has('3')]).toEqual([['other'], [], true])
  await waitFor(() => state.removed.length === 4)
  expect(messages).toEqual([['1', '2', '3'].map(id => ({ event: { id }, traceparent }))])
  expect(committed.has('3')).toBe(false)
})

test('a message of attempts has at most 100, and a hundredth is not waited for', async () => {
  const { state, messages, committed, commitAttempts } = committingProcess()
  const ids = Array.from({ length: 250 }, (_, index) => String(index))
  commitAttempts(...ids)
  expect(messages.map(attempts => attempts.length)).toEqual([100, 100])
  await committed.stop()
  expect(messages.map(attempts => attempts.length)).toEqual([100, 100, 50])
  expect(state.removed).toEqual(ids)
})

test('attempts whose message is not confirmed are left to the leader of the relay', async () => {
  const { state, warnings, committed, commitAttempts } = committingProcess()
  state.confirms = false
  commitAttempts('1', '2')
  await waitFor(() => !committed.has('1') && !committed.has('2'))
  await committed.stop()
  expect([state.removed, warnings]).toEqual([[], ['a message is left to the leader of the relay']])
})

test('attempts are left to the leader of the relay once the broker has been away for a second', async () => {
  const { state, messages, committed, commitAttempts } = committingProcess()
  state.connected = false
  commitAttempts('1')
  await waitFor(() => !committed.has('1'))
  state.connected = true
  commitAttempts('2')
  await committed.stop()
  expect([messages, state.removed]).toEqual([[[{ event: { id: '2' }, traceparent }]], ['2']])
})
