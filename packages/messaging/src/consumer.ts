import type { Message } from '@cobro/contracts'
import { inCall, type Logger, withTimeout } from '@cobro/runtime'
import type { Channel, ConsumeMessage } from 'amqplib'
import { type Acknowledgements, gatherAcknowledgements } from './acknowledgements.ts'
import { closeTimeoutMs } from './connect-broker.ts'
import { keepConnected } from './keep-connected.ts'
import { parseMessage } from './parse-message.ts'
import type { Outgoing, Publisher } from './publisher.ts'
import { consumeDuration, type MessageOutcome, registerQueueMetrics } from './queue-metrics.ts'
import { busNames, declareTopology, type QueueName } from './topology.ts'

/** Carries a message out. `reply` answers a command whose sender waits for it, and does nothing otherwise. */
export type MessageHandler = (message: Message, reply: (answer: Message) => void) => Promise<void>

export interface ConsumerOptions {
  url: string
  namespace: string
  queue: QueueName
  prefetch: number
  publisher: Publisher
  handle: MessageHandler
  /** Tells whether a failure means that the service's database is away, so that the message bears no blame. */
  isUnavailable: (error: unknown) => boolean
  /** Fails unless the database answers. */
  ping: () => Promise<void>
  logger: Logger
}

const maxAttempts = 5
const cautiousPrefetch = 10
const pingEveryMs = 500

/** What a consumer has in hand, over all of its connections. */
interface Work {
  running: Set<Promise<void>>
  stopping: boolean
  /** Of the connection of the day, and what became of the messages on it. */
  channel: Channel | undefined
  acks: Acknowledgements | undefined
  /** Takes no more messages on that channel. */
  cancel: () => Promise<void>
}

/**
 * Consumes one queue. A message is acknowledged after its effect is committed. While the database is away the messages in
 * hand wait, at most the prefetch; on a new connection none is taken before the database answers. A message that fails by
 * itself is tried five times, five seconds apart, then parked.
 */
export function startConsumer(options: ConsumerOptions) {
  const { logger, queue } = options
  const work: Work = {
    running: new Set(),
    stopping: false,
    channel: undefined,
    acks: undefined,
    cancel: async () => {},
  }
  registerQueueMetrics(options.namespace, queue, () => work.channel)
  const connection = keepConnected({
    ...options,
    setup: async model => {
      const channel = await model.createChannel()
      work.channel = channel
      channel.on('error', error => logger.warn({ err: error, queue }, 'a consumer channel failed'))
      // A channel alone may be closed by the broker (an acknowledgement that took too long): begin again as a whole.
      channel.once('close', () => void model.close().catch(() => undefined))
      await declareTopology(channel, options.namespace)
      void untilAnswers(options, () => work.stopping)
        .then(() => consume(options, channel, work))
        .catch(error => logger.warn({ err: error, queue }, 'cannot consume'))
    },
  })
  return {
    connected: connection.connected,
    /** Takes no more messages, finishes those in hand, then disconnects. */
    stop: async () => {
      work.stopping = true
      await withTimeout(closeTimeoutMs, work.cancel())
      await Promise.allSettled(work.running)
      work.acks?.flush()
      // RabbitMQ drops acknowledgements that a closing connection overtakes; the close of their own channel follows them.
      if (work.channel) await withTimeout(closeTimeoutMs, work.channel.close()).catch(() => undefined)
      await connection.close()
    },
  }
}

async function consume(options: ConsumerOptions, channel: Channel, work: Work): Promise<void> {
  const { queue, logger } = options
  const name = busNames(options.namespace).queue(queue)
  const acks = gatherAcknowledgements(channel, (error, messages) =>
    logger.warn({ err: error, queue, messages }, 'messages stay unacknowledged'),
  )
  work.acks = acks
  const onMessage = (raw: ConsumeMessage | null) => {
    // Nothing in place of a message says that the queue is gone: on a new connection it is declared again.
    if (!raw) return void channel.close().catch(() => undefined)
    acks.delivered(raw)
    if (work.stopping) return
    const began = performance.now()
    const settled = settle(options, channel, raw, () => work.stopping).then(outcome => {
      consumeDuration.record((performance.now() - began) / 1_000, { queue, outcome })
      if (outcome === 'unacknowledged') return
      acks.ack(raw)
      widen()
    })
    work.running.add(settled)
    void settled.finally(() => work.running.delete(settled))
  }
  const begin = async (prefetch: number) => {
    await channel.prefetch(prefetch)
    const { consumerTag } = await channel.consume(name, onMessage)
    cancel = async () => void (await channel.cancel(consumerTag).catch(() => undefined))
    work.cancel = cancel
  }
  // The first message after a start may be the one that kills the process: risk few companions until one went well.
  let cautious = options.prefetch > cautiousPrefetch
  // A message may outlive its connection. What it sets off must not end the consumer of the next one.
  let cancel = work.cancel
  const widen = () => {
    if (!cautious || work.stopping) return
    cautious = false
    void cancel()
      .then(() => begin(options.prefetch))
      .catch(() => undefined)
  }
  await begin(Math.min(options.prefetch, cautiousPrefetch))
}

/** Carries a message out and gives what became of it; it never fails. */
async function settle(
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
    logger.error(about, 'a message cannot be read and is parked')
    await insist(() => options.publisher.park(queue, outgoing(raw, { 'x-reason': 'unreadable' })), stopping)
    return 'parked'
  } catch (error) {
    // Stopping: the broker delivers the message again, to whoever consumes next.
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
  return inCall({ request_id, actor, correlation_id, merchant_id }, async () => {
    for (;;) {
      try {
        await options.handle(message, answer => reply(channel, raw, answer))
        return 'done'
      } catch (error) {
        if (!options.isUnavailable(error)) return insist(() => postpone(options, raw, error), stopping)
        // A database may answer and yet take nothing, as with a full disk.
        await new Promise(resolve => setTimeout(resolve, pingEveryMs))
        await untilAnswers(options, stopping)
        if (stopping()) throw error
      }
    }
  })
}

/** Tries to hand a message on until it is confirmed: given up, it would lie unacknowledged on a channel that lives. */
async function insist<T>(handOn: () => Promise<T>, stopping: () => boolean): Promise<T> {
  for (;;) {
    try {
      return await handOn()
    } catch (error) {
      if (stopping()) throw error
      await new Promise(resolve => setTimeout(resolve, pingEveryMs))
    }
  }
}

async function postpone(options: ConsumerOptions, raw: ConsumeMessage, error: unknown): Promise<MessageOutcome> {
  const { publisher, queue, logger } = options
  const attempt = Number(raw.properties.headers?.['x-attempt'] ?? 0) + 1
  const context = { err: error, queue, message_id: raw.properties.messageId, attempt }
  if (attempt < maxAttempts) {
    logger.warn(context, 'a message failed and is tried again')
    await publisher.retryLater(queue, outgoing(raw, { 'x-attempt': attempt }))
    return 'retried'
  }
  logger.error(context, 'a message failed for the last time and is parked')
  await publisher.park(queue, outgoing(raw, { 'x-attempt': attempt, 'x-reason': String(error).slice(0, 200) }))
  return 'parked'
}

function outgoing(raw: ConsumeMessage, headers: Record<string, unknown>): Outgoing {
  const { messageId, correlationId, headers: before } = raw.properties
  return { id: String(messageId), body: raw.content, correlationId, headers: { ...before, ...headers } }
}

/** Answers on the sender's reply channel. Whether it still listens does not matter: the outcome is an event besides. */
function reply(channel: Channel, raw: ConsumeMessage, answer: Message): void {
  const { replyTo, messageId } = raw.properties
  if (replyTo)
    channel.publish('', replyTo, Buffer.from(JSON.stringify(answer)), {
      correlationId: String(messageId),
      messageId: answer.id,
    })
}

async function untilAnswers(options: Pick<ConsumerOptions, 'ping'>, stopping: () => boolean): Promise<void> {
  while (!stopping()) {
    try {
      return await options.ping()
    } catch {
      await new Promise(resolve => setTimeout(resolve, pingEveryMs))
    }
  }
}
