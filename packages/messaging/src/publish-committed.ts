import { AsyncLocalStorage } from 'node:async_hooks'
import type { Logger } from '@cobro/runtime'
import { type OutboxRow, ownTimeMs, publishRow } from './outbox-row.ts'
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
  /** Whether this process is going to publish the row with this id, or has published and not deleted it yet. */
  has(id: string): boolean
  /** Publishes no further rows; waits for confirms and deletes what is confirmed. */
  stop(): Promise<void>
}

/** Messages above this limit are left to the relay's leader, which reads in batches. */
const maxUnconfirmed = 500
/**
 * Later means fewer deletes, and more messages that are published again after a crash. It has to be well before `ownTimeMs`,
 * when a leader in another process takes what is left.
 */
const removeEveryMs = 500
const reconnectPollMs = 50
const warnEveryMs = 10_000

/**
 * Publishes the messages of this process's commits without reading them back, and deletes the confirmed rows, many at
 * once. Messages wait up to a second for a broker that is unreachable. A row is left to the relay's leader after that, if the
 * broker does not confirm it, if it cannot be deleted, or if the process dies.
 */
export function publishCommitted({ outbox, publisher, logger }: Deps): CommittedPublisher {
  const waiting = new Map<string, { row: OutboxRow; since: number }>()
  const unconfirmed = new Map<string, Promise<void>>()
  const warn = rareWarnings(logger)
  const confirmed = confirmedRows(outbox, warn)
  const outsideOfCalls = AsyncLocalStorage.snapshot()
  let stopping = false
  let reconnectTimer: NodeJS.Timeout | undefined

  const publish = async (row: OutboxRow) => {
    try {
      await publishRow(publisher, row)
      confirmed.add(row.id)
    } catch (error) {
      if (publisher.connected()) warn(error, 'a message is left to the leader of the relay')
    }
    unconfirmed.delete(row.id)
  }
  const publishWaiting = () => {
    clearTimeout(reconnectTimer)
    for (const { row, since } of waiting.values()) {
      const connected = publisher.connected()
      if (connected) unconfirmed.set(row.id, publish(row))
      if (connected || performance.now() - since > ownTimeMs) waiting.delete(row.id)
    }
    if (waiting.size > 0) reconnectTimer = setTimeout(publishWaiting, reconnectPollMs)
  }
  outbox.onMessages(rows => {
    if (stopping || waiting.size + unconfirmed.size + rows.length > maxUnconfirmed) return
    const since = performance.now()
    for (const row of rows) waiting.set(row.id, { row, since })
    outsideOfCalls(publishWaiting)
  })
  return {
    has: id => waiting.has(id) || unconfirmed.has(id) || confirmed.has(id),
    stop: async () => {
      stopping = true
      clearTimeout(reconnectTimer)
      await Promise.all(unconfirmed.values())
      await confirmed.remove()
    },
  }
}

type Warn = ReturnType<typeof rareWarnings>

/** Collects confirmed rows and deletes them together. */
function confirmedRows(outbox: Deps['outbox'], warn: Warn) {
  const confirmed = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let removing = Promise.resolve()
  const removeNow = async () => {
    const ids = [...confirmed]
    if (ids.length === 0) return
    await outbox.remove(ids).catch(error => warn(error, 'published messages are left to the leader of the relay'))
    for (const id of ids) confirmed.delete(id)
  }
  /** Deletes all rows, after a deletion that runs. */
  const remove = () => {
    clearTimeout(timer)
    timer = undefined
    removing = removing.then(removeNow)
    return removing
  }
  return {
    has: (id: string) => confirmed.has(id),
    add: (id: string) => {
      confirmed.add(id)
      timer ??= setTimeout(remove, removeEveryMs)
    },
    remove,
  }
}

/** Returns a function that logs at most one warning in ten seconds: each message of an outage would cause one. */
function rareWarnings(logger: Logger) {
  let warnedAt = Number.NEGATIVE_INFINITY
  return (err: unknown, text: string) => {
    if (performance.now() - warnedAt < warnEveryMs) return
    warnedAt = performance.now()
    logger.warn({ err }, text)
  }
}
