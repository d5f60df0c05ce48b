import { setTimeout } from 'node:timers/promises'
import { type Database, isProtocolViolation, sharesSessions } from '@cobro/database'
import type { OnStop } from '@cobro/runtime'

const askAgainMs = 1_000

const reason =
  'DATABASE_URL leads to a pooler that lets connections share sessions: use session pooling (pool_mode = session in PgBouncer) or none'

/**
 * Rejects if a pooler lets the database's connections share sessions, or rejects their time limits. An unavailable
 * database does not fail the start: it is asked again until it answers, and the process ends if that is the answer.
 */
export async function requireOwnSessions(db: Database, onStop: OnStop): Promise<void> {
  if (await hasAnswered(db)) return
  const stopping = new AbortController()
  onStop(() => stopping.abort())
  void askAgain(db, stopping.signal)
}

/** Not awaited: its rejection is an uncaught error, which ends the process. */
async function askAgain(db: Database, stopping: AbortSignal): Promise<void> {
  do await setTimeout(askAgainMs, undefined, { ref: false })
  while (!(stopping.aborted || (await hasAnswered(db))))
}

/** Returns whether the database has answered that each connection has its own session. */
async function hasAnswered(db: Database): Promise<boolean> {
  const shared = await sharesSessions(db).catch((error: unknown) => {
    if (isProtocolViolation(error)) throw error
    return undefined
  })
  if (shared) throw new Error(reason)
  return shared === false
}
