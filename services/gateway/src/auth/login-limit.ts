import { createHash } from 'node:crypto'
import { ApiError } from '@cobro/contracts'
import type { Database, Reader } from '@cobro/database'

/** Failed logins within fifteen minutes: five for an account from one address, twenty from an address. */
const window = "interval '15 minutes'"
const perAccount = 5
const perAddress = 20

/** Who tries to log in, and from where. */
export interface LoginSource {
  email: string
  address: string
}

/**
 * Refuses a login with 429 where too many failed before. Never for an account as a whole: nobody can lock another out. The
 * answer says when the failure that is one too many will be old enough.
 */
export async function refuseTooMany(db: Database, { email, address }: LoginSource): Promise<void> {
  const failures = `${db.schema}.login_failures where address = ? and failed_at > now() - ${window}`
  const until = `ceil(extract(epoch from failed_at + ${window} - now()))::int as wait from`
  const waits = await db.read(em =>
    em.execute<{ wait: number }[]>(
      `(select ${until} ${failures} and account_hash = ? order by failed_at desc offset ${perAccount - 1} limit 1)
       union all
       (select ${until} ${failures} order by failed_at desc offset ${perAddress - 1} limit 1)`,
      [address, accountHash(email), address],
    ),
  )
  if (waits.length === 0) return
  const seconds = Math.max(1, ...waits.map(({ wait }) => wait))
  throw new ApiError('rate_limited', 'too many failed logins', { headers: { 'Retry-After': String(seconds) } })
}

/** Notes a failed login, in the transaction of its event. */
export async function noteFailure(tx: Reader, schema: string, { email, address }: LoginSource): Promise<void> {
  await tx.execute(`insert into ${schema}.login_failures (account_hash, address) values (?, ?)`, [
    accountHash(email),
    address,
  ])
}

/** Forgets the failures of an account from an address, once it has logged in from there. */
export async function forgetFailures(tx: Reader, schema: string, { email, address }: LoginSource): Promise<void> {
  await tx.execute(`delete from ${schema}.login_failures where account_hash = ? and address = ?`, [
    accountHash(email),
    address,
  ])
}

/** Deletes the failures that count no more. */
export async function pruneFailures(db: Database): Promise<void> {
  await db.read(em => em.execute(`delete from ${db.schema}.login_failures where failed_at < now() - ${window}`))
}

function accountHash(email: string): string {
  return createHash('sha256').update(email).digest('hex')
}
