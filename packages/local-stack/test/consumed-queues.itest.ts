import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { busNames } from '@cobro/contracts/broker'
import { type ChannelModel, connect } from 'amqplib'
import { untilConsumed } from '../src/servers/consumed-queues.ts'

const { TEST_AMQP_URL: amqpUrl = '' } = process.env
const namespace = `test-${randomBytes(8).toString('hex')}`
const queue = busNames(namespace).queue('checkout.events')
const reports: string[] = []

/** Waits for the consumer of the queue. */
const wait = (signal = new AbortController().signal) =>
  untilConsumed({ amqpUrl, namespace, queues: ['checkout.events'], report: line => void reports.push(line), signal })

let model: ChannelModel
beforeAll(async () => {
  model = await connect(amqpUrl)
})
afterAll(() => model.close())

test('a broker without the queues is an error that says what to do', async () => {
  await expect(wait()).rejects.toThrow('RabbitMQ no longer has the queues of this stack: run the command again')
})

test('a start waits until each queue has a consumer, or until it is stopped', async () => {
  const channel = await model.createChannel()
  await channel.assertQueue(queue, { durable: false, autoDelete: true })
  const stopping = new AbortController()
  const stopped = wait(stopping.signal)
  await sleep(200)
  stopping.abort()
  await expect(stopped).rejects.toThrow('aborted')

  let isDone = false
  const waiting = wait().then(() => {
    isDone = true
  })
  await sleep(200)
  expect(isDone).toBe(false)
  await channel.consume(queue, () => undefined)
  await waiting
  expect(reports).toEqual([])
})
