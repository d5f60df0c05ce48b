import { topologyNames } from '@cobro/contracts/broker'
import { connect } from 'amqplib'
import { testNamespace } from '../src/test-namespace.ts'

test('testNamespace returns a new namespace each time, and its cleanup deletes its topology and logins', async () => {
  const [own, other] = [testNamespace(), testNamespace()]
  expect(own.namespace).not.toBe(other.namespace)
  const names = topologyNames(own.namespace)
  const [queue = '', exchange = ''] = [names.queues[0], names.exchanges[0]]
  const service = await own.login('gateway')
  await (await connect(service)).close()

  const model = await connect(own.url, { noDelay: true })
  const channel = await model.createChannel()
  await channel.assertExchange(exchange, 'topic', { durable: true })
  await channel.assertQueue(queue, { durable: true, arguments: { 'x-queue-type': 'quorum' } })

  await own.cleanup()

  await expect(exists(model, checker => checker.checkQueue(queue))).resolves.toBe(false)
  await expect(exists(model, checker => checker.checkExchange(exchange))).resolves.toBe(false)
  await expect(connect(service)).rejects.toThrow('ACCESS-REFUSED')
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
