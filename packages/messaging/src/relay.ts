import { type Logger, meter, wakeSignal, withTrace } from '@cobro/runtime'
import type { Publisher } from './publisher.ts'

/** The outbox operations that the relay needs: `outboxReader` of the database package. */
interface Outbox {
  /** Becomes the only leader, or returns undefined if another leads. Calls `lost` on losing it. */
  lead(lost: () => void): Promise<{ resign(): Promise<void> } | undefined>
  /** Returns the oldest messages. Ids follow insertion, not commit: lower ones may appear later. */
  take(limit: number): Promise<OutgoingRow[]>
  /** Deletes messages that the broker has confirmed. */
  remove(ids: string[]): Promise<unknown>
  onMessages(listener: () => void): void
}

interface OutgoingRow {
  id: string
  message_id: string
  exchange: 'events' | 'commands'
  name: string
  correlation_id: string | null
  body: Buffer
  trace: { traceparent?: string; baggage?: string }
}

const relayed = meter.createCounter('cobro_outbox_published_total', {
  description: 'Messages that the relay published from the outbox',
})

const batchSize = 500
const pollMs = 250
const standbyMs = 1_000

/**
 * Publishes a schema's outbox. One process leads at a time; its own commits wake it, and it polls
 * every 250 ms for others'. Deletes a row only once confirmed: a crash in between publishes it again under the same id.
 */
export function startRelay(options: { outbox: Outbox; publisher: Publisher; logger: Logger }) {
  const { outbox, publisher, logger } = options
  const signal = wakeSignal()
  let stopping = false
  outbox.onMessages(signal.wake)

  const run = async () => {
    while (!stopping) {
      let leads = true
      const lost = () => {
        leads = false
      }
      const leadership = await outbox.lead(lost).catch(() => undefined)
      let pauseMs = leadership ? 0 : standbyMs
      try {
        while (leadership && leads && !stopping)
          if ((await relayBatch(outbox, publisher)) < batchSize) await signal.wait(pollMs)
      } catch (error) {
        if (publisher.connected()) logger.warn({ err: error }, 'the relay failed and restarts')
        pauseMs = pollMs
      }
      await leadership?.resign()
      if (pauseMs > 0 && !stopping) await signal.wait(pauseMs)
    }
  }
  const running = run()
  return {
    stop: async () => {
      stopping = true
      signal.wake()
      await running
    },
  }
}

async function relayBatch(outbox: Outbox, publisher: Publisher): Promise<number> {
  if (!publisher.connected()) return 0
  const rows = await outbox.take(batchSize)
  const publishRow = ({ exchange, name, message_id: id, body, correlation_id: correlationId }: OutgoingRow) =>
    publisher.publish(exchange, name, { id, body, correlationId })
  const outcomes = await Promise.allSettled(rows.map(row => withTrace(row.trace, () => publishRow(row))))
  const confirmed = rows.filter((_, index) => outcomes[index]?.status === 'fulfilled').map(row => row.id)
  relayed.add(confirmed.length)
  if (confirmed.length > 0) await outbox.remove(confirmed)
  const failed = outcomes.find(outcome => outcome.status === 'rejected')
  if (failed) throw failed.reason
  return rows.length
}
