import { connect } from 'amqplib'
import { testNamespace } from '../src/test-namespace.ts'

test('two tests never share a namespace, and a clean-up leaves nothing of it on the broker', async () => {
  const [own, other] = [testNamespace(), testNamespace()]
  expect(own.namespace).not.toBe(other.namespace)

  const model = await connect(own.url, { noDelay: true })
  const channel = await model.createChannel()
  const [queue, exchange] = [`${own.namespace}.queue`, `${own.namespace}.events`]
  await channel.assertExchange(exchange, 'topic', { durable: true })
  await channel.assertQueue(queue, { durable: true, arguments: { 'x-queue-type': 'quorum' } })

  await own.cleanup({ queues: [queue, `${own.namespace}.never-made`], exchanges: [exchange] })

  await expect(isThere(model, checker => checker.checkQueue(queue))).resolves.toBe(false)
  await expect(isThere(model, checker => checker.checkExchange(exchange))).resolves.toBe(false)
  await model.close()
})

type Model = Awaited<ReturnType<typeof connect>>
type Channel = Awaited<ReturnType<Model['createChannel']>>

/** A failed check closes its channel, so each gets one of its own. */
async function isThere(model: Model, check: (channel: Channel) => Promise<unknown>): Promise<boolean> {
  const channel = await model.createChannel()
  channel.on('error', () => {})
  try {
    await check(channel)
    return true
  } catch {
    return false
  }
}
