import { keyCaller } from '@cobro/http/test-identity'
import { waitFor } from '@cobro/testing'
import { eventOf } from './dispatcher-service.ts'
import { dispatcherWithReceiver } from './dispatcher-with-receiver.ts'

const { world, receiver, service, subscribed, stop } = await dispatcherWithReceiver({
  answer: path => (path === '/hangs' ? 'hang' : { status: 200 }),
  WEBHOOK_RETRY_DELAYS_MS: [600_000],
  WEBHOOK_ENDPOINTS_PER_MERCHANT: 60,
})
afterAll(stop)

test("sixty hanging endpoints of one merchant use half of the capacity, and another merchant's webhooks are sent meanwhile", async () => {
  const greedy = keyCaller()
  for (let i = 0; i < 60; i++) await subscribed({ merchant: greedy, path: '/hangs' })
  const quiet = await subscribed()
  for (let i = 0; i < 10; i++) await world.publish(eventOf(greedy.merchant_id))
  await waitFor(() => receiver.at('/hangs').length >= 250)
  for (let i = 0; i < 20; i++) {
    await service.call(quiet.merchant, 'POST', `/api/webhooks/${quiet.id}/test`)
    await waitFor(() => receiver.at(quiet.path)[i])
  }
  // Of 600 due deliveries, 250 still hang and the rest are not sent.
  expect(receiver.at('/hangs')).toHaveLength(250)
  expect(receiver.mostHanging('/hangs')).toBe(250)
  const due = await world.db.read(em => em.execute('select 1 from webhooks.jobs where not leased'))
  expect(due).toHaveLength(350)
})
