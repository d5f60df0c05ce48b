import { setTimeout as sleep } from 'node:timers/promises'
import type { Message } from '@cobro/contracts'
import { type Logger, withCallContext, withTimeout } from '@cobro/runtime'
import type { Channel, ConsumeMessage } from 'amqplib'
import { type Acknowledgements, gatherAcknowledgements } from './acknowledgements.ts'
import { closeTimeoutMs } from './connect-broker.ts'
import { keepConnected } from './keep-connected.ts'
import { parseMessage } from './parse-message.ts'
import type { Outgoing, Publisher } from './publisher.ts'
import { consumeDuration, type MessageOutcome, registerQueueMetrics } from './queue-metrics.ts'
import { busNames, declareTopology, type QueueName } from './topology.ts'

/** Handles a message. `reply` answers a command whose sender waits for the reply, and does nothing otherwise. */
export type MessageHandler = (message: Message, reply: (answer: Message) => void) => Promise<void>

export interface ConsumerOptions {
  url: string
  namespace: string
  queue: QueueName
  prefetch: number
  publisher: Publisher
  handle: MessageHandler
  /** Whether an error means that the service's database is unavailable, so that the message is not at fault. */
  isUnavailable: (error: unknown) => boolean
  /** Rejects unless the database responds. */
  ping: () => Promise<void>
  logger: Logger
}

const maxAttempts = 5
const initialPrefetch = 10
const pingEveryMs = 500

/** The state of a consumer, across all of its connections. */
interface ConsumerState {
  running: Set<Promise<void>>
  stopping: boolean
  /** The channel of the current connection, and the acknowledgements of its messages. */
  channel: Channel | undefined
  acks: Acknowledgements | undefined
  /** Stops deliveries on that channel. */
  cancel: () => Promise<void>
}

/**
 * Consumes one queue. Acknowledges a message after its effect is committed. While the database is unavailable, the messages in
 * flight (at most the prefetch) wait, and a new connection starts consuming only once the database responds. A message that
 * fails for any other reason is retried every five seconds and dead-lettered after five attempts.
 */
export function startConsumer(options: ConsumerOptions) {
  const { logger, queue } = options
  const state: ConsumerState = {
    running: new Set(),
    stopping: false,
    channel: undefined,
    acks: undefined,
    cancel: async () => {},
  }
  registerQueueMetrics(options.namespace, queue, () => state.channel)
  const connection = keepConnected({
    ...options,
    setup: async model => {
      const channel = await model.createChannel()
      state.channel = channel
      channel.on('error', error => logger.warn({ err: error, queue }, 'a consumer channel failed'))
      // The broker may close a channel alone, for example after an acknowledgement timeout: reconnect.
      channel.once('close', () => void model.close().catch(() => undefined))
      await declareTopology(channel, options.namespace)
      void waitForDatabase(options, () => state.stopping)
        .then(() => consume(options, channel, state))
        .catch(error => logger.warn({ err: error, queue }, 'cannot consume'))
    },
  })
  return {
    connected: connection.connected,
    /** Stops deliveries, finishes the messages in flight, then disconnects. */
    stop: async () => {
      state.stopping = true
      await withTimeout(closeTimeoutMs, state.cancel())
      await Promise.allSettled(state.running)
      state.acks?.flush()
      // RabbitMQ can drop acknowledgements that a close overtakes (rabbitmq/rabbitmq-server#10327), so close their channel first. Can go
      // once that is fixed.
      if (state.channel) await withTimeout(closeTimeoutMs, state.channel.close()).catch(() => undefined)
      await connection.close()
    },
  }
}

async function consume(options: ConsumerOptions, channel: Channel, state: ConsumerState): Promise<void> {
  const { queue, logger } = options
  const name = busNames(options.namespace).queue(queue)
  const acks = gatherAcknowledgements(channel, (error, messages) =>
    logger.warn({ err: error, queue, messages }, 'messages stay unacknowledged'),
  )
  state.acks = acks
  const onMessage = (raw: ConsumeMessage | null) => {
    // Null means that the queue was deleted. A new connection declares it again.
    if (!raw) return void channel.close().catch(() => undefined)
    acks.delivered(raw)
    if (state.stopping) return
    const startedAt = performance.now()
    const handled = handleDelivery(options, channel, raw, () => state.stopping).then(outcome => {
      consumeDuration.record((performance.now() - startedAt) / 1_000, { queue, outcome })
      if (outcome === 'unacknowledged') return
      acks.ack(raw)
      widen()
    })
    state.running.add(handled)
    void handled.finally(() => state.running.delete(handled))
  }
  const begin = async (prefetch: number) => {
    await channel.prefetch(prefetch)
    const { consumerTag } = await channel.consume(name, onMessage)
    cancel = async () => void (await channel.cancel(consumerTag).catch(() => undefined))
    state.cancel = cancel
  }
  // The first message after a start may be one that crashes the process. Until one succeeds, only a few share its attempt.
  let narrow = options.prefetch > initialPrefetch
  // A message may outlive its connection; widening must then not cancel the consumer of the next connection.
  let cancel = state.cancel
  const widen = () => {
    if (!narrow || state.stopping) return
    narrow = false
    void cancel()
      .then(() => begin(options.prefetch))
      .catch(() => undefined)
  }
  await begin(Math.min(options.prefetch, initialPrefetch))
}

/** Handles a delivery and returns its outcome. Never rejects. */
async function handleDelivery(
  options: ConsumerOptions,
  channel: Channel,
  raw: ConsumeMessage,
  stopping: () => boolean,
): Promise<MessageOutcome> {
  const { queue, logger } = options
  const { messageId: message_id, correlationId: correlation_id } = raw.properties
  const about = { queue, message_id, correlation_id }
  const parsed = parseMessage(raw.content)
  try {
    if (parsed) return await handleInCall(options, channel, raw, parsed, stopping)
    logger.error(about, 'a message cannot be parsed and is dead-lettered')
    await retryUntilConfirmed(
      () => options.publisher.deadLetter(queue, outgoing(raw, { 'x-reason': 'unreadable' })),
      stopping,
    )
    return 'dead_lettered'
  } catch (error) {
    // The consumer is stopping: the broker will deliver the message again.
    logger.warn({ err: error, ...about }, 'a message stays unacknowledged')
    return 'unacknowledged'
  }
}

async function handleInCall(
  options: ConsumerOptions,
  channel: Channel,
  raw: ConsumeMessage,
  message: Message,
  stopping: () => boolean,
): Promise<MessageOutcome> {
  const { request_id, actor, correlation_id, merchant_id } = message
  return withCallContext({ request_id, actor, correlation_id, merchant_id }, async () => {
    for (;;) {
      try {
        await options.handle(message, answer => reply(channel, raw, answer))
        return 'done'
      } catch (error) {
        if (!options.isUnavailable(error))
          return retryUntilConfirmed(() => retryOrDeadLetter(options, raw, error), stopping)
        // A database may respond to a ping and still reject every write, for example when its disk is full.
        await sleep(pingEveryMs)
        await waitForDatabase(options, stopping)
        if (stopping()) throw error
      }
    }
  })
}

/** Repeats a publish until it is confirmed: otherwise the message would stay unacknowledged for as long as its channel is open. */
async function retryUntilConfirmed<T>(publish: () => Promise<T>, stopping: () => boolean): Promise<T> {
  for (;;) {
    try {
      return await publish()
    } catch (error) {
      if (stopping()) throw error
      await sleep(pingEveryMs)
    }
  }
}

async function retryOrDeadLetter(
  options: ConsumerOptions,
  raw: ConsumeMessage,
  error: unknown,
): Promise<MessageOutcome> {
  const { publisher, queue, logger } = options
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

/** Replies on the sender's channel. A reply that no one receives is harmless: the outcome is also published as an event. */
function reply(channel: Channel, raw: ConsumeMessage, answer: Message): void {
  const { replyTo, messageId } = raw.properties
  if (replyTo)
    channel.publish('', replyTo, Buffer.from(JSON.stringify(answer)), {
      correlationId: String(messageId),
      messageId: answer.id,
    })
}

async function waitForDatabase(options: Pick<ConsumerOptions, 'ping'>, stopping: () => boolean): Promise<void> {
  while (!stopping()) {
    try {
      return await options.ping()
    } catch {
      await sleep(pingEveryMs)
    }
  }
}
