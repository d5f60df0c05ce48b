import { setTimeout as sleep } from 'node:timers/promises'
import type { Message } from '@cobro/contracts'
import { busNames, type QueueName } from '@cobro/contracts/broker'
import { type Logger, withCallContext, withTimeout } from '@cobro/runtime'
import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib'
import { type Acknowledgements, gatherAcknowledgements } from './acknowledgements.ts'
import { closeTimeoutMs } from './connect-broker.ts'
import { foreignReason } from './dead-letters.ts'
import { keepConnected } from './keep-connected.ts'
import { parseMessage } from './parse-message.ts'
import type { Outgoing, Publisher } from './publisher.ts'
import { consumeDuration, type MessageOutcome, registerQueueMetrics } from './queue-metrics.ts'
import { sendReply } from './send-reply.ts'
import { checkTopology } from './topology.ts'

/** Handles a message. `reply` answers a command whose sender waits; otherwise it does nothing. */
export type MessageHandler = (message: Message, reply: (answer: Message) => void) => Promise<unknown>

export interface ConsumerOptions {
  url: string
  namespace: string
  queue: QueueName
  prefetch: number
  publisher: Publisher
  handle: MessageHandler
  /** Whether an error means an unavailable database, so that the message is not at fault. */
  isUnavailable: (error: unknown) => boolean
  /** Rejects unless the database responds. */
  ping: () => Promise<void>
  logger: Logger
}

const maxAttempts = 5
const initialPrefetch = 10
const pingEveryMs = 500

interface Connection {
  model: ChannelModel
  channel: Channel
}

/** A consumer and its state, across all of its connections. */
interface Consumer extends ConsumerOptions {
  running: Set<Promise<void>>
  stopping: boolean
  /** The channel of the current connection, and the acknowledgements of its messages. */
  channel: Channel | undefined
  acks: Acknowledgements | undefined
  /** Stops deliveries on that channel. */
  cancel: () => Promise<void>
}

/**
 * Consumes one queue. Acknowledges a message after its effect is committed. While the database is
 * unavailable, the messages in flight (at most the prefetch) wait, and a new connection consumes only once it responds.
 * Any other failure is retried every five seconds, and dead-lettered after five attempts.
 */
export function startConsumer(options: ConsumerOptions) {
  const { logger, namespace, queue } = options
  const fresh = { running: new Set<Promise<void>>(), stopping: false, channel: undefined, acks: undefined }
  const consumer: Consumer = { ...options, ...fresh, cancel: async () => {} }
  registerQueueMetrics(namespace, queue, () => consumer.channel)
  const connection = keepConnected({
    ...options,
    setup: async model => {
      const channel = await model.createChannel()
      consumer.channel = channel
      channel.on('error', error => logger.warn({ err: error, queue }, 'a consumer channel failed'))
      // The broker may close a channel alone, for example after an acknowledgement timeout: reconnect.
      channel.once('close', () => void model.close().catch(() => undefined))
      await checkTopology(channel, namespace)
      await channel.checkQueue(busNames(namespace).deadLetter(queue))
      void waitForDatabase(consumer)
        .then(() => consume(consumer, { model, channel }))
        .catch(error => logger.warn({ err: error, queue }, 'cannot consume'))
    },
  })
  return {
    connected: connection.connected,
    /** Stops deliveries, finishes the messages in flight, then disconnects. */
    stop: async () => {
      consumer.stopping = true
      await withTimeout(closeTimeoutMs, consumer.cancel())
      await Promise.allSettled(consumer.running)
      consumer.acks?.flush()
      // RabbitMQ can drop acknowledgements that a close overtakes (rabbitmq/rabbitmq-server#10327), so close their channel first. Can go
      // once that is fixed.
      if (consumer.channel) await withTimeout(closeTimeoutMs, consumer.channel.close()).catch(() => undefined)
      await connection.close()
    },
  }
}

async function consume(consumer: Consumer, connection: Connection): Promise<void> {
  const { channel } = connection
  const { queue, logger } = consumer
  const name = busNames(consumer.namespace).queue(queue)
  const acks = gatherAcknowledgements(channel, (error, messages) =>
    logger.warn({ err: error, queue, messages }, 'messages stay unacknowledged'),
  )
  consumer.acks = acks
  const onMessage = (raw: ConsumeMessage | null) => {
    // Null means that the queue was deleted. A new connection waits until `migrate` has declared it again.
    if (!raw) return void channel.close().catch(() => undefined)
    acks.delivered(raw)
    if (consumer.stopping) return
    const startedAt = performance.now()
    const handled = handleDelivery(consumer, connection, raw).then(outcome => {
      consumeDuration.record((performance.now() - startedAt) / 1_000, { queue, outcome })
      if (outcome === 'unacknowledged') return
      acks.ack(raw)
      widen()
    })
    consumer.running.add(handled)
    void handled.finally(() => consumer.running.delete(handled))
  }
  const begin = async (prefetch: number) => {
    await channel.prefetch(prefetch)
    const { consumerTag } = await channel.consume(name, onMessage)
    cancel = async () => void (await channel.cancel(consumerTag).catch(() => undefined))
    consumer.cancel = cancel
  }
  // The first message after a start may be one that crashes the process. Until one succeeds, only a few share its attempt.
  let narrow = consumer.prefetch > initialPrefetch
  // A message may outlive its connection; widening must then not cancel the consumer of the next connection.
  let cancel = consumer.cancel
  const widen = () => {
    if (!narrow || consumer.stopping) return
    narrow = false
    void cancel()
      .then(() => begin(consumer.prefetch))
      .catch(() => undefined)
  }
  await begin(Math.min(consumer.prefetch, initialPrefetch))
}

/** Handles a delivery and returns its outcome. Never rejects. */
async function handleDelivery(
  consumer: Consumer,
  connection: Connection,
  raw: ConsumeMessage,
): Promise<MessageOutcome> {
  const { queue, logger, publisher } = consumer
  const { messageId: message_id, correlationId: correlation_id } = raw.properties
  const context = { queue, message_id, correlation_id }
  const parsed = parseMessage(raw.content)
  try {
    const foreign = parsed && isForeign(consumer, raw, parsed)
    if (parsed && !foreign) return await handleInCall(consumer, connection, raw, parsed)
    logger.error(context, `a message ${foreign ? 'has another name' : 'cannot be parsed'} and is dead-lettered`)
    const rejected = outgoing(raw, { 'x-reason': foreign ? foreignReason : 'unreadable' })
    await retryUntilConfirmed(consumer, () => publisher.deadLetter(queue, rejected))
    return 'dead_lettered'
  } catch (error) {
    // The consumer is stopping: the broker will deliver the message again.
    logger.warn({ err: error, ...context }, 'a message stays unacknowledged')
    return 'unacknowledged'
  }
}

/**
 * Returns whether a message has another name than its sender was allowed to publish: the broker
 * checks rights by the routing key, and handlers go by the name. A message that was retried or sent back has
 * another key. Only its consumer and operators may publish to the failure exchange, and no service to the default one.
 */
function isForeign({ namespace, queue }: Consumer, { fields }: ConsumeMessage, { name }: Message): boolean {
  const checkedBefore = ['', busNames(namespace).failureExchange(queue)]
  return fields.routingKey !== name && !checkedBefore.includes(fields.exchange)
}

function handleInCall(
  consumer: Consumer,
  connection: Connection,
  raw: ConsumeMessage,
  message: Message,
): Promise<MessageOutcome> {
  const { request_id, actor, correlation_id, merchant_id } = message
  return withCallContext({ request_id, actor, correlation_id, merchant_id }, async () => {
    for (;;) {
      try {
        await consumer.handle(message, answer =>
          sendReply({ ...connection, namespace: consumer.namespace }, raw, answer),
        )
        return 'done'
      } catch (error) {
        if (!consumer.isUnavailable(error))
          return retryUntilConfirmed(consumer, () => retryOrDeadLetter(consumer, raw, error))
        // A database may respond to a ping and still reject every write, for example when its disk is full.
        await sleep(pingEveryMs)
        await waitForDatabase(consumer)
        if (consumer.stopping) throw error
      }
    }
  })
}

/** Repeats a publish until it is confirmed: a failure would leave the message unacknowledged. */
async function retryUntilConfirmed<T>(consumer: Consumer, publish: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await publish()
    } catch (error) {
      if (consumer.stopping) throw error
      await sleep(pingEveryMs)
    }
  }
}

async function retryOrDeadLetter(consumer: Consumer, raw: ConsumeMessage, error: unknown): Promise<MessageOutcome> {
  const { publisher, queue, logger } = consumer
  const attempt = Number(raw.properties.headers?.['x-attempt'] ?? 0) + 1
  const context = { err: error, queue, message_id: raw.properties.messageId, attempt }
  if (attempt < maxAttempts) {
    logger.warn(context, 'a message failed and will be retried')
    await publisher.retryLater(queue, outgoing(raw, { 'x-attempt': attempt }))
    return 'retried'
  }
  logger.error(context, 'a message failed its last attempt and is dead-lettered')
  await publisher.deadLetter(queue, outgoing(raw, { 'x-attempt': attempt, 'x-reason': String(error).slice(0, 200) }))
  return 'dead_lettered'
}

function outgoing(raw: ConsumeMessage, headers: Record<string, unknown>): Outgoing {
  const { messageId, correlationId, headers: before } = raw.properties
  return { id: String(messageId), body: raw.content, correlationId, headers: { ...before, ...headers } }
}

async function waitForDatabase(consumer: Consumer): Promise<void> {
  while (!consumer.stopping) {
    try {
      return await consumer.ping()
    } catch {
      await sleep(pingEveryMs)
    }
  }
}
