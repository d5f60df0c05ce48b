import { type Logger, wakeSignal } from '@cobro/runtime'
import { NotConfirmedInTime, type OutboxRow, ownTimeMs, publishRow } from './outbox-row.ts'
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

/** What keeps a message that cannot be published from holding up the others. */
interface Progress {
  /**
   * How many messages to publish at once. RabbitMQ closes the channel on a message that its login may not publish, and then those that
   * were sent with it are in doubt: a batch that fails is halved until that message fails alone.
   */
  batchSize: number
  /** The messages that failed alone, by the ids of their rows, and when to try them again, by the monotonic clock in ms. */
  leftOut: Map<string, number>
}

const maxBatch = 500
const leaveOutMs = 30_000
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
  const progress: Progress = { batchSize: maxBatch, leftOut: new Map() }
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
        while (leadership && leads && !stopping)
          if (!(await relayBatch(deps, committed, progress))) await signal.wait(pollMs)
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
async function relayBatch(deps: RelayDeps, committed: CommittedPublisher, progress: Progress): Promise<boolean> {
  const { outbox, publisher } = deps
  const { leftOut } = progress
  if (!publisher.connected()) return false
  for (const [id, untilMs] of leftOut) if (untilMs <= performance.now()) leftOut.delete(id)
  const limit = maxBatch + leftOut.size
  const taken = await outbox.take(limit, ownTimeMs)
  const waiting = taken.filter(row => !committed.has(row.id) && !leftOut.has(row.id))
  const rows = waiting.slice(0, progress.batchSize)
  const outcomes = await Promise.allSettled(rows.map(row => publishRow(publisher, row)))
  const confirmed = rows.filter((_, index) => outcomes[index]?.status === 'fulfilled').map(row => row.id)
  if (confirmed.length > 0) await outbox.remove(confirmed)
  const failed = rows.flatMap((row, index) => {
    const outcome = outcomes[index]
    return outcome?.status === 'rejected' ? [{ row, error: outcome.reason }] : []
  })
  if (failed.length > 0) throw afterFailure(deps, progress, { failed, of: rows.length })
  progress.batchSize = Math.min(maxBatch, progress.batchSize * 2)
  return rows.length > 0 && (rows.length < waiting.length || taken.length === limit)
}

interface Failure {
  row: OutboxRow
  error: unknown
}

/** Leaves out the messages that are at fault themselves, and halves the batch if that is not clear. Returns the first error. */
function afterFailure(
  { logger }: RelayDeps,
  progress: Progress,
  { failed, of }: { failed: Failure[]; of: number },
): unknown {
  for (const { row, error } of failed) {
    if (of === 1 || error instanceof NotConfirmedInTime) {
      progress.leftOut.set(row.id, performance.now() + leaveOutMs)
      logger.warn(
        { err: error, message_id: row.message_id, message: row.name },
        'a message cannot be published, and waits',
      )
    } else progress.batchSize = Math.ceil(of / 2)
  }
  return failed[0]?.error
}
