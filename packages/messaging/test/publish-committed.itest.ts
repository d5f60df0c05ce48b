import { createLogger } from '@cobro/runtime'
import { waitFor } from '@cobro/testing'
import type { OutboxRow } from '../src/outbox-row.ts'
import { publishCommitted } from '../src/publish-committed.ts'

const logger = createLogger('publish-committed-test', 'silent')

/** A process whose broker and database do what the test says. */
function committingProcess() {
  let commit: (rows: readonly OutboxRow[]) => void = () => undefined
  let fail = false
  const log = { published: [] as string[], removed: [] as string[], others: [] as string[] }
  const state = { connected: true, confirms: true, hangs: false, ...log }
  /** The messages of webhook attempts: their events and traces. */
  const messages: { event: { id: string }; traceparent: string | null }[][] = []
  const warnings: unknown[] = []
  const remove = async (ids: string[]) => {
    if (fail) throw new Error('the database is away')
    state.removed.push(...ids)
  }
  const never = () => Promise.reject(new Error('not part of this test'))
  const publisherOf = (publish: (message: { id: string; body: Buffer }) => unknown) => ({
    connected: () => state.connected,
    publish: async (_exchange: string, _name: string, message: { id: string; body: Buffer }) => {
      if (!state.confirms) throw new Error('not confirmed')
      if (state.hangs) await new Promise(() => undefined)
      publish(message)
    },
    ...{ retryLater: never, deadLetter: never, close: async () => void state.others.push('closed') },
  })
  const publisher = publisherOf(({ id }) => state.published.push(id))
  const openOwn = () => {
    state.others.push('open')
    return publisherOf(({ body }) => messages.push(JSON.parse(body.toString('utf8')).data.events))
  }
  const committed = publishCommitted({
    outbox: { remove, onMessages: listener => (commit = listener) },
    publisher,
    openOwn,
    logger: Object.assign(Object.create(logger), { warn: (_about: object, text: string) => warnings.push(text) }),
  })
  const failRemoving = () => {
    fail = true
  }
  return {
    ...{ state, messages, warnings, committed, failRemoving },
    commit: (...ids: string[]) => commit(ids.map(rowOf)),
    commitAttempts: (...ids: string[]) => commit(ids.map(attemptOf)),
    commitRows: (...rows: OutboxRow[]) => commit(rows),
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

test.each([
  ['unconfirmed', 'commit'],
  ['gathered', 'commitAttempts'],
] as const)('rows beyond 500 that are %s are left to the leader of the relay', async (_what, commitMany) => {
  const { state, committed, ...process } = committingProcess()
  const ids = Array.from({ length: 500 }, (_, index) => String(index))
  process[commitMany](...ids)
  process.commit('beyond')
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

test('events of webhook attempts are published together with their traces, and others do not wait for them', async () => {
  const { state, messages, committed, commitRows, commitAttempts } = committingProcess()
  commitAttempts('1')
  commitRows(attemptOf('2'), rowOf('other'), attemptOf('3'))
  expect([state.published, messages, committed.has('3')]).toEqual([['other'], [], true])
  await waitFor(() => state.removed.length === 4)
  expect(messages).toEqual([['1', '2', '3'].map(id => ({ event: { id }, traceparent }))])
  expect(committed.has('3')).toBe(false)
})

test('events of webhook attempts have a connection of their own, which is opened once and closed at the end', async () => {
  const { state, committed, commit, commitAttempts } = committingProcess()
  commit('other')
  expect(state.others).toEqual([])
  commitAttempts('1')
  await waitFor(() => state.removed.length === 2)
  commitAttempts('2')
  await committed.stop()
  expect(state.removed).toEqual(['other', '1', '2'])
  expect(state.others).toEqual(['open', 'closed'])
})

test('a message has at most 100 events of webhook attempts, and is sent at once when it has them', async () => {
  const { state, messages, committed, commitAttempts } = committingProcess()
  const ids = Array.from({ length: 250 }, (_, index) => String(index))
  commitAttempts(...ids)
  expect(messages.map(events => events.length)).toEqual([100, 100])
  await committed.stop()
  expect(messages.map(events => events.length)).toEqual([100, 100, 50])
  expect(state.removed).toEqual(ids)
})

test('events of webhook attempts whose message is not confirmed are left to the leader of the relay', async () => {
  const { state, warnings, committed, commitAttempts } = committingProcess()
  state.confirms = false
  commitAttempts('1', '2')
  await waitFor(() => !committed.has('1') && !committed.has('2'))
  await committed.stop()
  expect([state.removed, warnings]).toEqual([[], ['a message is left to the leader of the relay']])
})

test('events of webhook attempts are left to the leader once the broker has been away for a second', async () => {
  const { state, messages, committed, commitAttempts } = committingProcess()
  state.connected = false
  commitAttempts('1')
  await waitFor(() => !committed.has('1'))
  state.connected = true
  commitAttempts('2')
  await waitFor(() => state.removed.length > 0)
  expect([messages, state.removed]).toEqual([[[{ event: { id: '2' }, traceparent }]], ['2']])
})

test('a stop leaves gathered rows to the leader of the relay if their connection is not open yet', async () => {
  const { state, messages, committed, commitAttempts } = committingProcess()
  commitAttempts('1')
  await committed.stop()
  expect([messages, state.removed, state.others]).toEqual([[], [], []])
})

test('rows that the broker does not confirm in ten seconds are left to the leader of the relay', async () => {
  const { state, warnings, committed, commit, commitAttempts } = committingProcess()
  state.hangs = true
  commit('1')
  commitAttempts('2')
  await waitFor(() => !committed.has('1') && !committed.has('2'), { timeoutMs: 15_000 })
  expect([state.removed, warnings]).toEqual([[], ['a message is left to the leader of the relay']])
})
