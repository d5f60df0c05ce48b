import { type Message, newId } from '@cobro/contracts'
import { busNames, type QueueName, queues } from '@cobro/contracts/broker'
import { createLogger, type Logger } from '@cobro/runtime'
import { testNamespace, waitFor } from '@cobro/testing'
import { connect, type GetMessage, type Options } from 'amqplib'
import { type ConsumerOptions, startConsumer } from '../src/consumer.ts'
import { declareBus } from '../src/declare-bus.ts'
import { openPublisher } from '../src/publisher.ts'

const logger: Logger = createLogger('messaging-test', process.env.LOG_LEVEL ?? 'silent')

/** A test's declared bus, with a separate connection to publish messages and inspect queues. */
export async function busUnderTest() {
  const { url, namespace, login, cleanup } = testNamespace()
  const names = busNames(namespace)
  const model = await connect(url, { noDelay: true })
  const channel = await model.createConfirmChannel()
  const declare = async () => declareBus(await login('migrate'), namespace)
  await declare()
  const opened: (() => Promise<unknown>)[] = []
  const barriers: (() => void)[] = []

  /** Opens a connected publisher, closed with the test. `at` may be another URL of the broker. */
  const publisher = async (at = url) => {
    const one = openPublisher({ url: at, namespace, logger })
    opened.push(one.close)
    await waitFor(one.connected)
    return one
  }
  return {
    url,
    namespace,
    login,
    /** Declares the topology, as `migrate` does. */
    declare,
    names,
    logger,
    model,
    channel,
    publisher,
    /** Starts a consumer, by default as its service and with an available database. Stops it with the test. */
    consumer: async (
      queue: QueueName,
      handle: ConsumerOptions['handle'],
      options: Partial<ConsumerOptions> = {},
    ): Promise<ReturnType<typeof startConsumer>> => {
      const own = await login(queues[queue].service)
      const one = startConsumer({
        url: own,
        namespace,
        queue,
        handle,
        prefetch: 50,
        publisher: options.publisher ?? (await publisher(own)),
        isUnavailable: () => false,
        ping: async () => {},
        logger,
        ...options,
      })
      opened.push(one.stop)
      return one
    },
    /** Publishes a message, or invalid bytes, directly to a queue. */
    put: async (queue: QueueName, content: Message | string, properties: Options.Publish = {}) => {
      const text = typeof content === 'string' ? content : JSON.stringify(content)
      const messageId = typeof content === 'string' ? newId('evt') : content.id
      channel.sendToQueue(names.queue(queue), Buffer.from(text), { persistent: true, messageId, ...properties })
      await channel.waitForConfirms()
      return messageId
    },
    /** Waits for the next message of a queue, given by its full name. */
    next: (queue: string): Promise<GetMessage> =>
      waitFor(() => channel.get(queue, { noAck: true }), { intervalMs: 50 }),
    /** Returns how many messages of a queue are ready, that is, not in flight. */
    waiting: async (queue: string) => (await channel.checkQueue(queue)).messageCount,
    /** A barrier for handlers to wait at. It opens when the test ends at the latest. */
    barrier: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      barriers.push(resolve)
      return { lifted: promise, lift: resolve }
    },
    /** Closes what the test opened, in reverse order. */
    release: async () => {
      for (const lift of barriers) lift()
      for (const close of opened.splice(0).toReversed()) await close()
    },
    stop: async () => {
      await model.close()
      await cleanup()
    },
  }
}

export type BusUnderTest = Awaited<ReturnType<typeof busUnderTest>>

/** A valid message. */
export function someMessage(name = 'merchant.updated', data: Record<string, unknown> = {}): Message {
  return {
    id: newId('evt'),
    name,
    occurred_at: new Date().toISOString(),
    merchant_id: null,
    target_id: null,
    correlation_id: newId('corr'),
    request_id: newId('req'),
    actor: { type: 'system', id: null },
    data,
  }
}
