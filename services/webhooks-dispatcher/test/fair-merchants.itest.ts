import { keyCaller } from '@cobro/http/test-identity'
import { waitFor } from '@cobro/testing'
import { dispatcherWorld, eventOf, startReplica, type World } from './dispatcher-service.ts'
import { startReceiver } from './webhook-receiver.ts'

let world: World
let service: Awaited<ReturnType<typeof startReplica>>
let receiver: Awaited<ReturnType<typeof startReceiver>>

beforeAll(async () => {
  receiver = await startReceiver(path => (path === '/hangs' ? 'hang' : { status: 200 }))
  world = await dispatcherWorld({ WEBHOOK_WAITS_MS: [600_000], WEBHOOK_TIMEOUT_MS: 30_000 })
  service = await startReplica(world)
  await waitFor(() => world.connected())
})
afterAll(async () => {
  // First, so that nothing hangs any more.
  await receiver.stop()
  await service.stop()
  await world.stop()
})

test("sixty endpoints of one merchant that hang take half of the room, and another merchant's webhooks leave at once", async () => {
  const greedy = keyCaller()
  const quiet = keyCaller()
  const subscribe = async (merchant: typeof greedy, path: string) =>
    (await service.call(merchant, 'POST', '/api/webhooks', { url: receiver.url + path, events: ['*'] })).body.id
  for (let i = 0; i < 60; i++) await subscribe(greedy, '/hangs')
  const healthy = await subscribe(quiet, '/healthy')
  for (let i = 0; i < 10; i++) await world.publish(eventOf(greedy.merchant_id))
  await waitFor(() => receiver.at('/hangs').length >= 250)
  const delaysMs: number[] = []
  for (let i = 0; i < 20; i++) {
    const startedAt = Date.now()
    await service.call(quiet, 'POST', `/api/webhooks/${healthy}/test`)
    const sent = await waitFor(() => receiver.at('/healthy')[i])
    delaysMs.push(sent.at - startedAt)
  }
  // Six hundred are due, and none of the others goes as long as these hang.
  expect(receiver.at('/hangs')).toHaveLength(250)
  expect(delaysMs.toSorted((a, b) => a - b)[10]).toBeLessThan(500)
  const due = await world.db.read(em => em.execute('select 1 from webhooks.jobs where not leased'))
  expect(due).toHaveLength(350)
})
