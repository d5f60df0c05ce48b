import { setTimeout } from 'node:timers/promises'
import { newId } from '@cobro/contracts'
import { operatorCaller } from '@cobro/http/test-identity'
import { waitFor, withUnknownFields } from '@cobro/testing'
import { callMessage, eventMessage, startedWorld, type World } from './audit-log-world.ts'

let world: World
let service: Awaited<ReturnType<World['start']>>

beforeAll(async () => {
  ;({ world, service } = await startedWorld())
})
afterAll(() => world.close())

const someCalls = (count: number, correlation_id: string) =>
  Array.from({ length: count }, (_, n) => callMessage(`/api/transactions/${n}`, 200, { correlation_id }))

test('every call of a message is recorded with its own fields', async () => {
  const correlation_id = newId('corr')
  const [first, second] = [
    callMessage('/checkout/v1/sessions', 201, { correlation_id, request_id: newId('req') }),
    callMessage('/api/transactions', 503, { correlation_id, merchant_id: newId('mrc') }),
  ]
  await world.publishCalls([first, second])
  await waitFor(async () => (await world.recorded(correlation_id)).length === 2)
  const read = async (id: string) => (await service.call(operatorCaller('all'), `/api/events/${id}`)).body.data
  expect(await read(first.id)).toMatchObject({
    action: 'http.request',
    category: 'checkout',
    path: '/checkout/v1/sessions',
    status_code: 201,
    request_id: first.request_id,
    occurred_at: first.occurred_at,
  })
  expect(await read(second.id)).toMatchObject({ category: 'error', status_code: 503, merchant_id: second.merchant_id })
})

test('calls that arrive again, in other messages or each in one of the release before, are recorded once', async () => {
  const correlation_id = newId('corr')
  const calls = someCalls(120, correlation_id)
  await world.publishCalls(calls.slice(0, 50))
  await world.publishCalls(calls.slice(30, 80))
  await world.publishCalls(calls.slice(0, 120).toReversed())
  await Promise.all(calls.slice(100).map(world.publish))
  await waitFor(async () => (await world.recorded(correlation_id)).length >= calls.length)
  for (const queue of ['audit-log.calls', 'audit-log.events'] as const)
    await waitFor(async () => (await world.readyMessageCount('queue', queue)) === 0)
  expect((await world.recorded(correlation_id)).map(({ id }) => id)).toEqual(calls.map(({ id }) => id).sort())
  const { body } = await service.call(operatorCaller('all'), '/api/events/integrity')
  expect(body.data).toMatchObject({ ok: true, first_fault: null })
})

test('a call that cannot be recorded fails its message, which names it, and the others are recorded', async () => {
  const correlation_id = newId('corr')
  const ofNoMonth = callMessage('/', 200, { id: 'evt_00000000000000000000000000', correlation_id })
  const forged = eventMessage({ correlation_id })
  const malformed = { ...callMessage('/', 200, { correlation_id }), occurred_at: 'yesterday' }
  for (const bad of [ofNoMonth, forged, malformed]) {
    const good = someCalls(6, correlation_id)
    const id = await world.publishCalls([...good.slice(0, 3), bad, ...good.slice(3)])
    const { reason } = await waitFor(() => world.deadLetter('audit-log.calls', id))
    expect(reason).toContain(bad.id)
  }
  expect(await world.recorded(correlation_id)).toHaveLength(18)
})

test('calls of a newer release with unknown fields are recorded', async () => {
  const correlation_id = newId('corr')
  const calls = someCalls(3, correlation_id).map(call => withUnknownFields(call))
  await world.publishCalls(calls, { added_later: true })
  await waitFor(async () => (await world.recorded(correlation_id)).length === calls.length)
})

test('a message with a bad call waits while the log is unavailable, and is not retried for it', async () => {
  const correlation_id = newId('corr')
  const [head] = await world.sql<{ previous: string }>(
    `select encode(previous, 'hex') as previous from audit.tree_head`,
  )
  await world.sql(`update audit.tree_head set previous = sha256('x') returning size`)
  await world.withoutRetryQueue(async () => {
    await world.publishCalls([eventMessage({ correlation_id }), ...someCalls(2, correlation_id)])
    await waitFor(async () => (await world.readyMessageCount('queue', 'audit-log.calls')) === 0)
    await setTimeout(1_000)
    expect(await world.recorded(correlation_id)).toEqual([])
    await world.sql(`update audit.tree_head set previous = decode('${head!.previous}', 'hex') returning size`)
    await waitFor(async () => (await world.recorded(correlation_id)).length === 2)
  })
})
