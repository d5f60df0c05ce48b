import { type Message, newId } from '@cobro/contracts'
import { createLogger, type Logger } from '@cobro/runtime'
import { testNamespace, waitFor } from '@cobro/testing'
import { connect, type GetMessage, type Options } from 'amqplib'
import { type ConsumerOptions, startConsumer } from '../src/consumer.ts'
import { openPublisher } from '../src/publisher.ts'
import { busNames, declareTopology, type QueueName, topologyNames } from '../src/topology.ts'

const logger: Logger = createLogger('messaging-test', process.env.LOG_LEVEL ?? 'silent')

/** The bus of one test file, declared, with a connection of the test's own to put messages in and look what became of them. */
export async function busUnderTest() {
  const { url, namespace, cleanup } = testNamespace()
  const names = busNames(namespace)
  const model = await connect(url, { noDelay: true })
  const channel = await model.createConfirmChannel()
  await declareTopology(channel, namespace)
  const opened: (() => Promise<unknown>)[] = []
  const barriers: (() => void)[] = []

  /** Opens a publisher and waits until it is connected. It is closed with the test. `at` may be another way to the broker. */
  const publisher = async (at = url) => {
    const one = openPublisher({ url: at, namespace, logger })
    opened.push(one.close)
    await waitFor(one.connected)
    return one
  }
  return {
    url,
    namespace,
    names,
    logger,
    model,
    channel,
    publisher,
    /** Starts a consumer that can always reach its database, unless it is told otherwise. It is stopped with the test. */
    consumer: async (
      queue: QueueName,
      handle: ConsumerOptions['handle'],
      options: Partial<ConsumerOptions> = {},
    ): Promise<ReturnType<typeof startConsumer>> => {
      const one = startConsumer({
        url,
        namespace,
        queue,
        handle,
        prefetch: 50,
        publisher: options.publisher ?? (await publisher()),
        isUnavailable: () => false,
        ping: async () => {},
        logger,
        ...options,
      })
      opened.push(one.stop)
      return one
    },
    /** Puts a message, or bytes that are none, right into a queue. */
    put: async (queue: QueueName, content: Message | string, properties: Options.Publish = {}) => {
      const text = typeof content === 'string' ? content : JSON.stringify(content)
      const messageId = typeof content === 'string' ? newId('evt') : content.id
      channel.sendToQueue(names.queue(queue), Buffer.from(text), { persistent: true, messageId, ...properties })
      await channel.waitForConfirms()
      return messageId
    },
    /** The next message of a queue by its full name, once there is one. */
    next: (queue: string, timeoutMs?: number): Promise<GetMessage> =>
      waitFor(() => channel.get(queue, { noAck: true }), { intervalMs: 50, ...(timeoutMs ? { timeoutMs } : {}) }),
    /** How many messages of a queue nobody has in hand. */
    waiting: async (queue: string) => (await channel.checkQueue(queue)).messageCount,
    /** Something to be waited for in a handler. It is lifted at the latest when the test ends. */
    barrier: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      barriers.push(resolve)
      return { lifted: promise, lift: resolve }
    },
    /** Ends what the test opened, the latest first. */
    release: async () => {
      for (const lift of barriers) lift()
      for (const close of opened.splice(0).toReversed()) await close()
    },
    stop: async () => {
      await model.close()
      await cleanup(topologyNames(namespace))
    },
  }
}

export type BusUnderTest = Awaited<ReturnType<typeof busUnderTest>>

/** A message as it stands on the broker. */
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
