import type { Database } from '@cobro/database'
import { claimAndProcess, type Logger } from '@cobro/runtime'
import type { NotificationRow } from './notification-entity.ts'
import type { PostNotification } from './post-notification.ts'

interface SendDeps {
  db: Database
  post: PostNotification
  /** The delay after each failed try; the last one is repeated forever. */
  retryDelaysMs: readonly number[]
  /** How long a claim lasts: longer than any request. */
  leaseMs: number
  /** Stops sending, even if more notifications are due. */
  stopping: AbortSignal
  logger: Logger
}

type DueNotification = Pick<NotificationRow, 'id' | 'type' | 'body' | 'tries'>

/** Size of a claim. All of it is sent concurrently, so the lease need only outlast one request. */
const batch = 20

/** Sends the due notifications until none is left. */
export function sendNotifications(deps: SendDeps): Promise<void> {
  const { stopping, logger } = deps
  const claim = (limit: number) => claimDue(deps, limit)
  const options = { name: 'send notifications', claim, batch, concurrency: batch, stopping, logger }
  return claimAndProcess(options, notification => sendOne(deps, notification))
}

/** Claims due notifications. If the process is killed, they are due again when their lease ends. */
function claimDue({ db, leaseMs }: SendDeps, limit: number): Promise<DueNotification[]> {
  const now = new Date()
  return db.execute(
    `update acquirer_sandbox.notifications set tries = tries + 1, next_try_at = ?
     where id in (
       select id from acquirer_sandbox.notifications where next_try_at <= ?
       order by next_try_at limit ? for update skip locked
     )
     returning id, type, body, tries`,
    [new Date(now.getTime() + leaseMs), now, limit],
  )
}

async function sendOne(
  { db, post, retryDelaysMs, logger }: SendDeps,
  { id, type, body, tries }: DueNotification,
): Promise<void> {
  const answer = await post(body)
  if (answer === 'delivered') {
    await db.execute('delete from acquirer_sandbox.notifications where id = ?', [id])
    return logger.info({ id, type, tries }, 'notification delivered')
  }
  const retryDelayMs = retryDelayAfter(tries, retryDelaysMs)
  const reschedule = 'update acquirer_sandbox.notifications set next_try_at = ? where id = ? and tries = ?'
  await db.execute(reschedule, [new Date(Date.now() + retryDelayMs), id, tries])
  logger.warn({ id, type, tries, answer, retryDelayMs }, 'notification not delivered')
}

/** Returns the delay after a number of tries. */
export function retryDelayAfter(tries: number, retryDelaysMs: readonly number[]): number {
  return retryDelaysMs[Math.min(tries, retryDelaysMs.length) - 1] ?? 0
}
