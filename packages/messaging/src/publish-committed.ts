import { AsyncLocalStorage } from 'node:async_hooks'
import type { Logger } from '@cobro/runtime'
import { type OutboxRow, publishRow } from './outbox-row.ts'
import type { Publisher } from './publisher.ts'

interface Deps {
  outbox: {
    remove(ids: string[]): Promise<unknown>
    onMessages(listener: (rows: readonly OutboxRow[]) => void): void
  }
  publisher: Publisher
  logger: Logger
}

export interface CommittedPublisher {
  /** Whether this process publishes the row with this id, or has published and not deleted it yet. */
  has(id: string): boolean
  /** Publishes no further rows; waits for confirms and deletes what is confirmed. */
  stop(): Promise<void>
}

/** What is beyond that stays for the relay's leader, which reads in batches. */
const maxInFlight = 500
const removeEveryMs = 100

/**
 * Publishes the messages of this process's commits without reading them back. Rows are deleted after their own confirms, many
 * at once. A row stays for the relay's leader if the broker is away or does not confirm it, if it cannot be deleted,
 * or if the process dies.
 */
export function publishCommitted({ outbox, publisher, logger }: Deps): CommittedPublisher {
  const inFlight = new Set<string>()
  const publishing = new Set<Promise<void>>()
  const confirmed: string[] = []
  const outsideOfCalls = AsyncLocalStorage.snapshot()
  let stopping = false
  let timer: NodeJS.Timeout | undefined
  let removing = Promise.resolve()

  const remove = async (ids: string[]) => {
    if (ids.length === 0) return
    await outbox.remove(ids).catch(error => logger.warn({ err: error }, 'published messages could not be deleted yet'))
    for (const id of ids) inFlight.delete(id)
  }
  const removeConfirmed = () => {
    clearTimeout(timer)
    timer = undefined
    removing = removing.then(() => remove(confirmed.splice(0)))
    return removing
  }
  const publish = async (row: OutboxRow) => {
    try {
      await publishRow(publisher, row)
      confirmed.push(row.id)
      timer ??= setTimeout(removeConfirmed, removeEveryMs)
    } catch {
      inFlight.delete(row.id)
    }
  }
  const start = (row: OutboxRow) => {
    inFlight.add(row.id)
    const published = publish(row).finally(() => publishing.delete(published))
    publishing.add(published)
  }
  outbox.onMessages(rows => {
    if (stopping || !publisher.connected() || inFlight.size + rows.length > maxInFlight) return
    outsideOfCalls(() => rows.forEach(start))
  })
  return {
    has: id => inFlight.has(id),
    stop: async () => {
      stopping = true
      await Promise.all(publishing)
      await removeConfirmed()
    },
  }
}
