import { createHash } from 'node:crypto'
import { busNames, failureKeys, type QueueName } from '@cobro/contracts/broker'
import type { ConfirmChannel, GetMessage } from 'amqplib'
import { withBroker } from './connect-broker.ts'
import { parseMessage } from './parse-message.ts'
import { publishConfirmed } from './publisher.ts'

/** A message that its consumer could not handle, as an operator sees it. */
export interface DeadLetter {
  queue: QueueName
  id: string
  /** Null, like the other fields of the message, if the content cannot be parsed. */
  name: string | null
  occurred_at: string | null
  merchant_id: string | null
  correlation_id: string | null
  attempts: number
  reason: string
  /** Whether it did not get here as a message that its consumer had accepted, so it may be forged. */
  suspicious: boolean
}

/** Why a consumer dead-letters a message that its sender was not allowed to publish. */
export const foreignReason = 'its name is not its routing key'

export type DeadLetterAction = 'keep' | 'requeue' | 'discard'

interface Bus {
  url: string
  namespace: string
}

/** Headers of the failed attempts. A message that is sent back to its consumer loses them. */
const failureHeaders = /^x-(attempt|reason|death|delivery-count|acquired-count|(first|last)-death-.*)$/

/**
 * Keeps, sends back or deletes each dead letter of a queue as `decide` returns, reading each once.
 * Returns how many were not kept; rejects with code 404 if the queue does not exist. The consumer handles one that is
 * sent back like a new message, at any age: its effect was never committed. Keeps suspicious ones in any case, since a
 * consumer does not check again what was sent back. Publishes the kept ones again at the queue's end instead of
 * rejecting them, because RabbitMQ 4 drops a message that was rejected twenty times.
 *
 * Acknowledges a message only once its copy is confirmed. A crash in between leaves both, and the inbox keeps ids only
 * for a time, so messages with the id and content of an earlier one are deleted.
 */
export function browseDeadLetters(
  { url, namespace }: Bus,
  queue: QueueName,
  decide: (message: DeadLetter, content: Buffer) => DeadLetterAction | Promise<DeadLetterAction>,
): Promise<number> {
  const names = busNames(namespace)
  return withBroker(url, async model => {
    const channel = await model.createConfirmChannel()
    channel.on('error', () => undefined)
    const move = (raw: GetMessage, key: string, keepFailureHeaders: boolean) =>
      moveMessage(channel, raw, { exchange: names.failureExchange(queue), key, keepFailureHeaders })
    const seen = new Set<string>()
    let removed = 0
    const { messageCount } = await channel.checkQueue(names.deadLetter(queue))
    for (let left = messageCount; left > 0; left--) {
      const raw = await channel.get(names.deadLetter(queue))
      if (!raw) break
      const identity = createHash('sha256').update(`${raw.properties.messageId} `).update(raw.content).digest('base64')
      const repeated = seen.has(identity)
      seen.add(identity)
      const described = describeDeadLetter(names.queue(queue), queue, raw)
      const decided = repeated ? 'discard' : await decide(described, raw.content)
      const action = decided === 'requeue' && described.suspicious ? 'keep' : decided
      if (action !== 'keep' && !repeated) removed++
      if (action === 'discard') channel.ack(raw)
      else if (action === 'requeue') await move(raw, failureKeys.requeue, false)
      else await move(raw, failureKeys.deadLetter, true)
    }
    await channel.close()
    return removed
  })
}

/**
 * Moves dead letters of the previous release from the `….parked` queue to the dead-letter queue.
 * Safe to run concurrently. A replica of that release binds the former queue again at each connect, so in a rolling
 * deployment a dead letter may get into both queues; `browseDeadLetters` keeps one of them.
 */
export async function moveFormerDeadLetters(
  channel: ConfirmChannel,
  namespace: string,
  queue: QueueName,
): Promise<void> {
  const names = busNames(namespace)
  const next = () => channel.get(names.formerDeadLetter(queue))
  const target = { exchange: names.failureExchange(queue), key: failureKeys.deadLetter, keepFailureHeaders: true }
  for (let raw = await next(); raw; raw = await next()) await moveMessage(channel, raw, target)
}

async function moveMessage(
  channel: ConfirmChannel,
  raw: GetMessage,
  { exchange, key, keepFailureHeaders }: { exchange: string; key: string; keepFailureHeaders: boolean },
): Promise<void> {
  const { messageId, correlationId, headers = {} } = raw.properties
  const kept = Object.entries(headers).filter(([name]) => keepFailureHeaders || !failureHeaders.test(name))
  await publishConfirmed(channel, exchange, key, {
    id: String(messageId),
    body: raw.content,
    correlationId,
    headers: Object.fromEntries(kept),
  })
  channel.ack(raw)
}

function describeDeadLetter(fullName: string, queue: QueueName, { content, properties }: GetMessage): DeadLetter {
  const { messageId, headers = {} } = properties
  const message = parseMessage(content)
  const [death] = headers['x-death'] ?? []
  // No service sets an expiration. A message that has one leaves the queue without its consumer's check.
  const expired = death?.queue === fullName && death?.reason === 'expired'
  return {
    queue,
    id: String(messageId),
    name: message?.name ?? null,
    occurred_at: message?.occurred_at ?? null,
    merchant_id: message?.merchant_id ?? null,
    correlation_id: message?.correlation_id ?? null,
    attempts: Number(headers['x-attempt'] ?? 0),
    reason: String((expired ? undefined : headers['x-reason']) ?? death?.reason ?? ''),
    suspicious: expired || headers['x-reason'] === foreignReason,
  }
}
