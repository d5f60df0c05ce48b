import { connect } from 'amqplib'
import { testNamespace } from '../src/test-namespace.ts'

test('testNamespace returns a new namespace each time, and its cleanup deletes queues and exchanges', async () => {
  const [own, other] = [testNamespace(), testNamespace()]
  expect(own.namespace).not.toBe(other.namespace)

  const model = await connect(own.url, { noDelay: true })
  const channel = await model.createChannel()
  const [queue, exchange] = [`${own.namespace}.queue`, `${own.namespace}.events`]
  await channel.assertExchange(exchange, 'topic', { durable: true })
  await channel.assertQueue(queue, { durable: true, arguments: { 'x-queue-type': 'quorum' } })

  await own.cleanup({ queues: [queue, `${own.namespace}.never-made`], exchanges: [exchange] })

  await expect(exists(model, checker => checker.checkQueue(queue))).resolves.toBe(false)
  await expect(exists(model, checker => checker.checkExchange(exchange))).resolves.toBe(false)
  await model.close()
})

type Model = Awaited<ReturnType<typeof connect>>
type Channel = Awaited<ReturnType<Model['createChannel']>>

/** Uses a channel per check, because a failed check closes its channel. */
async function exists(model: Model, check: (channel: Channel) => Promise<unknown>): Promise<boolean> {
  const channel = await model.createChannel()
  channel.on('error', () => {})
  try {
    await check(channel)
    return true
  } catch {
    return false
  }
}
