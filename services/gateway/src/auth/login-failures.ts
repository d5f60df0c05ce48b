import { createHash } from 'node:crypto'
import { ApiError } from '@cobro/contracts'
import type { Database, Reader } from '@cobro/database'
import { serializeByKey } from './serialize-by-key.ts'

/** Limits in 15 minutes: 5 failed logins to an account from one address, 20 from an address. */
const window = "interval '15 minutes'"
const maxPerAccount = 5
const maxPerAddress = 20

/** The account (an e-mail address or a setup token) and the client address of a login attempt. */
export interface LoginSource {
  account: string
  address: string
}

const perAddress = serializeByKey()

/**
 * Runs `judge` unless too many attempts have failed. Attempts from one address run one after
 * another, so that concurrent requests cannot exceed the limit.
 */
export function checkThrottled<T>(db: Database, source: LoginSource, judge: () => Promise<T>): Promise<T> {
  return perAddress(source.address, async () => {
    await rejectTooManyFailures(db, source)
    return judge()
  })
}

/**
 * Throws a 429 if too many attempts failed, with the time until they are fewer as `Retry-After`.
 * No limit applies to an account across addresses, so one user cannot lock out another.
 */
async function rejectTooManyFailures(db: Database, { account, address }: LoginSource): Promise<void> {
  const failures = `${db.schema}.login_failures where address = ? and failed_at > now() - ${window}`
  const until = `ceil(extract(epoch from failed_at + ${window} - now()))::int as wait from`
  const waits = await db.execute<{ wait: number }>(
    `(select ${until} ${failures} and account_hash = ? order by failed_at desc offset ${maxPerAccount - 1} limit 1)
     union all
     (select ${until} ${failures} order by failed_at desc offset ${maxPerAddress - 1} limit 1)`,
    [address, accountHash(account), address],
  )
  if (waits.length === 0) return
  const seconds = Math.max(1, ...waits.map(({ wait }) => wait))
  throw new ApiError('rate_limited', 'too many failed logins', {
    // Replaces the headers of the in-memory rate limit of the address, whose window ends earlier.
    headers: { 'Retry-After': String(seconds), 'RateLimit-Remaining': '0', 'RateLimit-Reset': String(seconds) },
  })
}

/** Records a failed login in the transaction that emits its event. */
export async function recordLoginFailure(tx: Reader, schema: string, { account, address }: LoginSource): Promise<void> {
  await tx.execute(`insert into ${schema}.login_failures (account_hash, address) values (?, ?)`, [
    accountHash(account),
    address,
  ])
}

/** Deletes the failures of an account from an address after a successful login. */
export async function clearLoginFailures(tx: Reader, schema: string, { account, address }: LoginSource): Promise<void> {
  await tx.execute(`delete from ${schema}.login_failures where account_hash = ? and address = ?`, [
    accountHash(account),
    address,
  ])
}

/** Deletes failures older than the window. */
export async function pruneLoginFailures(db: Database): Promise<void> {
  await db.write(async tx => tx.execute(`delete from ${db.schema}.login_failures where failed_at < now() - ${window}`))
}

function accountHash(account: string): string {
  return createHash('sha256').update(account).digest('hex')
}
