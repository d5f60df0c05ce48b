import { messageOfMany, webhookAttemptEvents, webhookAttempts } from '@cobro/contracts'
import { meter, type TraceCarrier, withTimeout, withTrace } from '@cobro/runtime'
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
 * How long a message is left to the process that committed it, which publishes it within a few
 * milliseconds, or 100 for the events of webhook attempts. The relay's leader takes what is older.
 */
export const ownTimeMs = 1_000

const published = meter.createCounter('cobro_outbox_published_total', {
  description: 'Rows of the outbox that were published',
})

/** How long the broker may take to confirm: a queue that hangs must not keep the rows of all others waiting. */
const confirmTimeoutMs = 10_000

async function confirmed(publishing: Promise<void>): Promise<void> {
  const inTime = publishing.then(() => true)
  if (!(await withTimeout(confirmTimeoutMs, inTime))) throw new Error('RabbitMQ did not confirm a message in time')
}

/** Publishes a row in its own trace. Resolves once the broker has confirmed it; rejects if that takes too long. */
export async function publishRow(publisher: Publisher, row: OutboxRow): Promise<void> {
  const { exchange, name, message_id: id, body, correlation_id: correlationId } = row
  await confirmed(withTrace(row.trace, () => publisher.publish(exchange, name, { id, body, correlationId })))
  published.add(1)
}

const together: ReadonlySet<string> = new Set(webhookAttemptEvents)

/** Whether a row is the event of a webhook attempt, of which many are published in one message. */
export const isWebhookAttempt = ({ name }: OutboxRow): boolean => together.has(name)

/**
 * Publishes events of webhook attempts in one message, outside of their traces.
 * Resolves once the broker has confirmed it; rejects if that takes too long.
 */
export async function publishWebhookAttempts(publisher: Publisher, rows: readonly OutboxRow[]): Promise<void> {
  const events = rows.map(({ body, trace: { traceparent = null } }) => ({
    event: JSON.parse(body.toString('utf8')),
    traceparent,
  }))
  const message = messageOfMany(webhookAttempts, events)
  const body = Buffer.from(JSON.stringify(message))
  await confirmed(publisher.publish('webhook-attempts', message.name, { id: message.id, body }))
  published.add(rows.length)
}
