import { type Logger, wakeSignal } from '@cobro/runtime'
import { type OutboxRow, ownTimeMs, publishRow } from './outbox-row.ts'
import { type CommittedPublisher, publishCommitted } from './publish-committed.ts'
import type { Publisher } from './publisher.ts'

/** The outbox operations that the relay needs: `outboxReader` of the database package. */
interface Outbox {
  /** Becomes the only leader, or returns undefined if another leads. Calls `lost` on losing it. */
  lead(lost: () => void): Promise<{ resign(): Promise<void> } | undefined>
  /** Returns the oldest messages of at least that age. Ids follow insertion, not commit: lower ones may appear later. */
  take(limit: number, minAgeMs: number): Promise<OutboxRow[]>
  /** Deletes messages that the broker has confirmed. */
  remove(ids: string[]): Promise<unknown>
  /** Calls `listener` with the rows of each commit of this process. */
  onMessages(listener: (rows: readonly OutboxRow[]) => void): void
}

interface RelayDeps {
  outbox: Outbox
  publisher: Publisher
  /** See `publishCommitted`. */
  openOwn: () => Publisher
  logger: Logger
}

const batchSize = 500
const pollMs = 1_000
const retryMs = 500
const standbyMs = 1_000

/**
 * Publishes a schema's outbox. Each process publishes the messages of its own commits from memory; one process leads at a
 * time and publishes what is left. Deletes a row only once confirmed: a crash in between publishes it again
 * under the same id.
 */
export function startRelay(deps: RelayDeps) {
  const signal = wakeSignal()
  const committed = publishCommitted(deps)
  let stopping = false

  const run = async () => {
    while (!stopping) {
      let leads = true
      const lost = () => {
        leads = false
      }
      const leadership = await deps.outbox.lead(lost).catch(() => undefined)
      let pauseMs = leadership ? 0 : standbyMs
      try {
        while (leadership && leads && !stopping) if (!(await relayBatch(deps, committed))) await signal.wait(pollMs)
      } catch (error) {
        if (deps.publisher.connected()) deps.logger.warn({ err: error }, 'the relay failed and restarts')
        pauseMs = retryMs
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
      await Promise.all([running, committed.stop()])
    },
  }
}

/** Publishes the oldest messages. Returns whether there are probably more. */
async function relayBatch({ outbox, publisher }: RelayDeps, committed: CommittedPublisher): Promise<boolean> {
  if (!publisher.connected()) return false
  const taken = await outbox.take(batchSize, ownTimeMs)
  const rows = taken.filter(row => !committed.has(row.id))
  const outcomes = await Promise.allSettled(rows.map(row => publishRow(publisher, row)))
  const confirmed = rows.filter((_, index) => outcomes[index]?.status === 'fulfilled').map(row => row.id)
  if (confirmed.length > 0) await outbox.remove(confirmed)
  const failed = outcomes.find(outcome => outcome.status === 'rejected')
  if (failed) throw failed.reason
  return taken.length === batchSize && rows.length > 0
}
