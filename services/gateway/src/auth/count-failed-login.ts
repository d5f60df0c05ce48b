import type { Database } from '@cobro/database'
import { meter } from '@cobro/runtime'
import { keptFor, maxPerAccount, window } from './login-failures.ts'

/** A day of guesses that stay below the limit of 15 minutes, or below the five of a stolen device token. */
const maxPerDay = 100

const reached = meter.createCounter('cobro_login_limits_reached_total', {
  description: 'Accounts of users whose failed logins reached 20 in 15 minutes or 100 in a day, by window',
})

// A series that starts with its first count shows no increase.
for (const window of ['15m', '1d']) reached.add(0, { window })

/**
 * Counts a user's account when this failed attempt is the one that reaches a limit, so that one
 * attack counts once in each window. No label names the account: the audit log does. An attempt without a user takes
 * as long, so that the time of an answer does not show which users exist.
 */
export async function countFailedLogin(db: Database, attempt: string, isUser: boolean): Promise<void> {
  const failures = `${db.schema}.login_failures`
  const [row] = await db.execute<{ recent: number; day: number }>(
    `select (count(*) filter (where failure.failed_at > now() - ${window}))::int as recent, count(*)::int as day
     from ${failures} as failure
     join ${failures} as attempt on attempt.account_hash = failure.account_hash and attempt.id >= failure.id
     where attempt.id = ? and failure.failed_at > now() - ${keptFor}`,
    [attempt],
  )
  if (!isUser) return
  if (row?.recent === maxPerAccount) reached.add(1, { window: '15m' })
  if (row?.day === maxPerDay) reached.add(1, { window: '1d' })
}
