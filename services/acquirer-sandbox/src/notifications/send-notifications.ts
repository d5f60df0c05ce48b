import type { Database } from '@cobro/database'
import { type Logger, runConcurrently } from '@cobro/runtime'
import type { PostNotification } from './post-notification.ts'

export interface SendDeps {
  db: Database
  post: PostNotification
  /** The wait after each try that failed; the last one is repeated for ever. */
  waitsMs: readonly number[]
  /** How long a claim lasts: longer than any try does. */
  leaseMs: number
  /** Ends the sending, however much is due. */
  stopping: AbortSignal
  logger: Logger
}

interface Due {
  id: string
  type: string
  body: Buffer
  tries: number
}

/** All of a claim is sent at once, so that its lease has to outlast only one try. */
const batch = 20

/** Sends what is due until nothing is. */
export async function sendNotifications(deps: SendDeps): Promise<void> {
  while (!deps.stopping.aborted) {
    const due = await claimDue(deps)
    await runConcurrently(due, { concurrency: batch, name: 'send notifications', logger: deps.logger }, one =>
      sendOne(deps, one),
    )
    if (due.length < batch) return
  }
}

/** A claim is a lease: what a killed process had in hand is due again when it ends, and nobody else has it before. */
function claimDue({ db, leaseMs }: SendDeps): Promise<Due[]> {
  const now = new Date()
  return db.read(em =>
    em.execute<Due[]>(
      `update acquirer_sandbox.notifications set tries = tries + 1, next_try_at = ?
       where id in (
         select id from acquirer_sandbox.notifications where next_try_at <= ?
         order by next_try_at limit ? for update skip locked
       )
       returning id, type, body, tries`,
      [new Date(now.getTime() + leaseMs), now, batch],
    ),
  )
}

async function sendOne({ db, post, waitsMs, logger }: SendDeps, { id, type, body, tries }: Due): Promise<void> {
  const answer = await post(body)
  if (answer === 'taken') {
    await db.read(em => em.execute('delete from acquirer_sandbox.notifications where id = ?', [id]))
    return logger.info({ id, type, tries }, 'notification taken')
  }
  const waitMs = waitAfter(tries, waitsMs)
  const again = 'update acquirer_sandbox.notifications set next_try_at = ? where id = ? and tries = ?'
  await db.read(em => em.execute(again, [new Date(Date.now() + waitMs), id, tries]))
  logger.warn({ id, type, tries, answer, waitMs }, 'notification not taken')
}

/** The wait after a number of tries. */
export function waitAfter(tries: number, waitsMs: readonly number[]): number {
  return waitsMs[Math.min(tries, waitsMs.length) - 1] ?? 0
}
