import { attemptEvents, messageOfMany, webhookAttempts } from '@cobro/contracts'
import { meter, type TraceCarrier, withTrace } from '@cobro/runtime'
import type { Publisher } from './publisher.ts'

/** A row of the outbox. */
export interface OutboxRow {
  id: string
  message_id: string
  exchange: 'events' | 'commands'
  name: string
  correlation_id: string | null
  body: Buffer
  trace: TraceCarrier
}

/**
 * How long a message is left to the process that committed it, which publishes it within a few milliseconds.
 * The relay's leader takes what is older.
 */
export const ownTimeMs = 1_000

const published = meter.createCounter('cobro_outbox_published_total', {
  description: 'Messages that were published from the outbox',
})

/** Publishes a row in its own trace. Resolves once the broker has confirmed it. */
export async function publishRow(publisher: Publisher, row: OutboxRow): Promise<void> {
  const { exchange, name, message_id: id, body, correlation_id: correlationId } = row
  await withTrace(row.trace, () => publisher.publish(exchange, name, { id, body, correlationId }))
  published.add(1)
}

const attempts: ReadonlySet<string> = new Set(attemptEvents)

/** Whether a row is the event of an attempt, of which many are published in one message. */
export const isAttempt = ({ name }: OutboxRow): boolean => attempts.has(name)

/** Publishes the events of attempts in one message, outside of their traces. Resolves once the broker has confirmed it. */
export async function publishAttempts(publisher: Publisher, rows: readonly OutboxRow[]): Promise<void> {
  const traced = rows.map(({ body, trace }) => ({
    event: JSON.parse(body.toString('utf8')),
    traceparent: trace.traceparent ?? null,
  }))
  const message = messageOfMany(webhookAttempts.name, { attempts: traced })
  const body = Buffer.from(JSON.stringify(message))
  await publisher.publish('attempts', message.name, { id: message.id, body })
  published.add(rows.length)
}
