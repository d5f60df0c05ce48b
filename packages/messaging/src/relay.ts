import { type Logger, wakeSignal } from '@cobro/runtime'
import { type OutboxRow, ownTimeMs, publishRow } from './outbox-row.ts'
import { type CommittedPublisher, publishCommitted } from './publish-committed.ts'
import { BrokerUnavailable, type Publisher } from './publisher.ts'

/** The outbox operations that the relay needs: `outboxReader` of the database package. */
interface Outbox {
  /** Becomes the only leader, or returns undefined if another leads. Calls `lost` on losing it. */
  lead(lost: () => void): Promise<{ resign(): Promise<void> } | undefined>
  /**
   * Returns the oldest messages of at least that age: those whose names are in `only`, or by default not in `except`. Ids follow
   * insertion, not commit: lower ones may appear later.
   */
  take(limit: number, minAgeMs: number, which?: { only?: string[]; except?: string[] }): Promise<OutboxRow[]>
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

/** When to try a name again, by the monotonic clock in ms, and how long that was put off. */
interface Trial {
  atMs: number
  delayMs: number
}

/**
 * Names whose messages RabbitMQ may not take. One message of each is tried alone until it does, and the others of that name wait:
 * rights and queues go by the name. After a failure that closes the channel, these are all names of the batch.
 */
type Suspects = Map<string, Trial>

const batchSize = 500
const pollMs = 1_000
const retryMs = 500
const standbyMs = 1_000
const trialDelayMs = { first: 1_000, most: 30_000 }

/**
 * Publishes a schema's outbox. Each process publishes the messages of its own commits from memory; one process leads at a
 * time and publishes what is left. Deletes a row only once confirmed: a crash in between publishes it again
 * under the same id.
 */
export function startRelay(deps: RelayDeps) {
  const signal = wakeSignal()
  const committed = publishCommitted(deps)
  const suspects: Suspects = new Map()
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
        while (leadership && leads && !stopping) {
          const restMs = await relayBatch(deps, committed, suspects)
          if (restMs > 0) await signal.wait(restMs)
        }
      } catch (error) {
        deps.logger.warn({ err: error }, 'the relay failed and restarts')
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

/** Publishes the oldest messages. Returns how long to wait before the next ones. */
async function relayBatch(deps: RelayDeps, committed: CommittedPublisher, suspects: Suspects): Promise<number> {
  const { outbox, publisher } = deps
  if (!publisher.connected()) return pollMs
  const taken = await outbox.take(batchSize, ownTimeMs, { except: [...suspects.keys()] })
  const rows = taken.filter(row => !committed.has(row.id))
  const failures = await publishRows(deps, rows)
  for (const { row, error } of failures)
    if (!(error instanceof BrokerUnavailable)) suspects.set(row.name, { atMs: 0, delayMs: 0 })
  if (failures.length > 0) {
    if (publisher.connected()) deps.logger.warn({ err: failures[0]?.error }, 'the relay failed to publish messages')
    return retryMs
  }
  const cleared = await tryAlone(deps, committed, suspects)
  return cleared || (rows.length > 0 && taken.length === batchSize) ? 0 : pollMs
}

/** Tries a message of each name that is due. Returns whether RabbitMQ took one, so that the others of its name can follow. */
async function tryAlone(deps: RelayDeps, committed: CommittedPublisher, suspects: Suspects): Promise<boolean> {
  const { outbox, publisher, logger } = deps
  let cleared = false
  for (const [name, { atMs, delayMs }] of suspects) {
    if (atMs > performance.now()) continue
    if (!publisher.connected()) break
    const [row] = await outbox.take(1, ownTimeMs, { only: [name] })
    if (row && committed.has(row.id)) continue
    const [failure] = row ? await publishRows(deps, [row]) : []
    if (failure?.error instanceof BrokerUnavailable) break
    if (failure) {
      const nextMs = Math.min(Math.max(trialDelayMs.first, delayMs * 2), trialDelayMs.most)
      suspects.set(name, { atMs: performance.now() + nextMs, delayMs: nextMs })
      logger.warn({ err: failure.error, message: name, delay_ms: nextMs }, 'messages of this name cannot be published')
    } else {
      suspects.delete(name)
      cleared = true
    }
  }
  return cleared
}

/** Publishes messages at once, deletes those that are confirmed, and returns the others with their errors. */
async function publishRows({ outbox, publisher }: RelayDeps, rows: OutboxRow[]) {
  const outcomes = await Promise.allSettled(rows.map(row => publishRow(publisher, row)))
  const confirmed = rows.filter((_, index) => outcomes[index]?.status === 'fulfilled').map(row => row.id)
  if (confirmed.length > 0) await outbox.remove(confirmed)
  return rows.flatMap((row, index) => {
    const outcome = outcomes[index]
    return outcome?.status === 'rejected' ? [{ row, error: outcome.reason as unknown }] : []
  })
}
