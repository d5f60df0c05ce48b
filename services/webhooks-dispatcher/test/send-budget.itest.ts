import { keyCaller } from '@cobro/http/test-identity'
import { waitFor } from '@cobro/testing'
import { eventOf } from './dispatcher-service.ts'
import { dispatcherWithReceiver } from './dispatcher-with-receiver.ts'

const { world, receiver, subscribed, stop } = await dispatcherWithReceiver({ WEBHOOK_SENDS_PER_SECOND: 10 })
afterAll(stop)

test('a merchant gets its webhooks at the rate of its budget, and another merchant does not wait for them', async () => {
  const greedy = keyCaller()
  const endpoints = [await subscribed({ merchant: greedy }), await subscribed({ merchant: greedy })]
  const quiet = await subscribed()
  const received = () => endpoints.flatMap(({ path }) => receiver.at(path)).length
  const before = performance.now()
  await Promise.all(Array.from({ length: 20 }, () => world.publish(eventOf(greedy.merchant_id))))
  await world.publish(eventOf(quiet.merchant.merchant_id))
  await waitFor(() => receiver.at(quiet.path)[0])
  expect(received()).toBeLessThan(40)
  await waitFor(() => received() === 40)
  // Four windows of one second: the first may be partly over when the first webhook is sent.
  expect(performance.now() - before).toBeGreaterThan(2_000)
})
