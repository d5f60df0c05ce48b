import { AsyncLocalStorage } from 'node:async_hooks'
import type { Logger } from '@cobro/runtime'
import { isWebhookAttempt, type OutboxRow, ownTimeMs, publishRow, publishWebhookAttempts } from './outbox-row.ts'
import type { Publisher } from './publisher.ts'

interface Deps {
  outbox: {
    remove(ids: string[]): Promise<unknown>
    onMessages(listener: (rows: readonly OutboxRow[]) => void): void
  }
  publisher: Publisher
  /**
   * Opens a publisher for messages of many. It has a connection of its own, because the broker
   * closes a channel on a publish without the right to it, and then the other messages of that channel are in doubt.
   */
  openOwn: () => Publisher
  logger: Logger
}

/** Rows of the outbox that are published in one message. */
interface Publication {
  rows: readonly OutboxRow[]
  publisher: Publisher
  /** Resolves once the broker has confirmed the message; rejects if it is in doubt. */
  send: (publisher: Publisher) => Promise<void>
  /** When the first of them was committed, by the monotonic clock in ms. */
  since: number
}

export interface CommittedPublisher {
  /** Whether this process is going to publish the row with this id, or has published and not deleted it yet. */
  has(id: string): boolean
  /** Publishes no further rows; waits for confirms and deletes what is confirmed. */
  stop(): Promise<void>
}

/** Rows above this limit, those that are gathered included, are left to the relay's leader. */
const maxRows = 500
/**
 * Later means fewer deletes, and more messages that are published again after a crash.
 * With `gatherMs` and a confirm before it, it has to be well before `ownTimeMs`, when a leader in another process takes what
 * is left.
 */
const removeEveryMs = 500
const reconnectPollMs = 50
/** How long the event of a webhook attempt waits for others. The audit log, which alone consumes it, gathers too. */
const gatherMs = 100
/** The most events of webhook attempts in one message. */
const rowsPerMessage = 100
const warnEveryMs = 10_000

/**
 * Publishes the messages of this process's commits without reading them back, and deletes the confirmed rows, many at
 * once. Publishes events of webhook attempts many in a message. Messages wait up to a second for a broker that is unreachable.
 * A row is left to the relay's leader after that, if the broker does not confirm it, if it cannot be deleted, or if the
 * process dies.
 */
export function publishCommitted({ outbox, publisher, openOwn, logger }: Deps): CommittedPublisher {
  /** The ids of rows that are gathered, wait or are unconfirmed. */
  const own = new Set<string>()
  const warn = rareWarnings(logger)
  const confirmed = confirmedRows(outbox, warn)
  const publications = publicationsOf({ own, confirmed, warn })
  const outsideOfCalls = AsyncLocalStorage.snapshot()
  let ofMany: Publisher | undefined
  let stopping = false

  const webhookAttempts = gatheredRows((rows, since) => {
    // A connection that is opened now would come too late: the rows are left to the leader.
    if (stopping && !ofMany) return
    ofMany ??= openOwn()
    publications.add({ rows, since, publisher: ofMany, send: from => publishWebhookAttempts(from, rows) })
    publications.publish()
  })
  const take = (rows: readonly OutboxRow[]) => {
    const since = performance.now()
    for (const row of rows) {
      own.add(row.id)
      if (isWebhookAttempt(row)) webhookAttempts.add(row)
      else publications.add({ rows: [row], since, publisher, send: from => publishRow(from, row) })
    }
    publications.publish()
  }
  outbox.onMessages(rows => {
    if (!stopping && own.size + rows.length <= maxRows) outsideOfCalls(take, rows)
  })
  return {
    has: id => own.has(id) || confirmed.has(id),
    stop: async () => {
      stopping = true
      webhookAttempts.flush()
      await publications.stop()
      await Promise.all([confirmed.remove(), ofMany?.close()])
    },
  }
}

interface PublicationDeps {
  own: Set<string>
  confirmed: Pick<ReturnType<typeof confirmedRows>, 'add'>
  warn: Warn
}

/** Publishes once a publisher is connected. Takes rows out of `own` that are confirmed, or left to the leader. */
function publicationsOf({ own, confirmed, warn }: PublicationDeps) {
  const waiting = new Set<Publication>()
  const unconfirmed = new Set<Promise<void>>()
  let reconnectTimer: NodeJS.Timeout | undefined

  const publishOne = async ({ rows, publisher, send }: Publication) => {
    try {
      await send(publisher)
      for (const { id } of rows) confirmed.add(id)
    } catch (error) {
      if (publisher.connected()) warn(error, 'a message is left to the leader of the relay')
    }
    for (const { id } of rows) own.delete(id)
  }
  const publish = () => {
    clearTimeout(reconnectTimer)
    for (const publication of waiting) {
      const connected = publication.publisher.connected()
      const expired = performance.now() - publication.since > ownTimeMs
      if (connected || expired) waiting.delete(publication)
      if (connected) {
        const publishing = publishOne(publication).finally(() => unconfirmed.delete(publishing))
        unconfirmed.add(publishing)
      } else if (expired) for (const { id } of publication.rows) own.delete(id)
    }
    if (waiting.size > 0) reconnectTimer = setTimeout(publish, reconnectPollMs)
  }
  return {
    add: (publication: Publication) => void waiting.add(publication),
    publish,
    /** Publishes nothing more, and waits for confirms. */
    stop: async () => {
      clearTimeout(reconnectTimer)
      await Promise.all(unconfirmed)
    },
  }
}

/** Gathers rows and passes them on together, with the time of the first. */
function gatheredRows(passOn: (rows: readonly OutboxRow[], since: number) => void) {
  let gathered: OutboxRow[] = []
  let since = 0
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    const rows = gathered
    gathered = []
    if (rows.length > 0) passOn(rows, since)
  }
  return {
    flush,
    add: (row: OutboxRow) => {
      if (gathered.length === 0) since = performance.now()
      gathered.push(row)
      timer ??= setTimeout(flush, gatherMs)
      if (gathered.length === rowsPerMessage) flush()
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
