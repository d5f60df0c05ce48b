import { createHash } from 'node:crypto'
import { ApiError } from '@cobro/contracts'
import type { Database, Reader } from '@cobro/database'
import { serializeByKey } from './serialize-by-key.ts'

/** Failed logins within fifteen minutes: five for an account from one address, twenty from an address. */
const window = "interval '15 minutes'"
const maxPerAccount = 5
const maxPerAddress = 20

/** Who tries to log in, by e-mail or by whatever else stands for an account, and from where. */
export interface LoginSource {
  account: string
  address: string
}

const perAddress = serializeByKey()

/** Judges a try unless too many failed before. From one address one is judged after another, so that a burst has no more. */
export function checkThrottled<T>(db: Database, source: LoginSource, judge: () => Promise<T>): Promise<T> {
  return perAddress(source.address, async () => {
    await refuseTooMany(db, source)
    return judge()
  })
}

/**
 * Refuses a login with 429 where too many failed before. Never for an account as a whole: nobody can lock another out. The
 * answer says when the failure that is one too many will be old enough.
 */
async function refuseTooMany(db: Database, { account, address }: LoginSource): Promise<void> {
  const failures = `${db.schema}.login_failures where address = ? and failed_at > now() - ${window}`
  const until = `ceil(extract(epoch from failed_at + ${window} - now()))::int as wait from`
  const waits = await db.read(em =>
    em.execute<{ wait: number }[]>(
      `(select ${until} ${failures} and account_hash = ? order by failed_at desc offset ${maxPerAccount - 1} limit 1)
       union all
       (select ${until} ${failures} order by failed_at desc offset ${maxPerAddress - 1} limit 1)`,
      [address, accountHash(account), address],
    ),
  )
  if (waits.length === 0) return
  const seconds = Math.max(1, ...waits.map(({ wait }) => wait))
  throw new ApiError('rate_limited', 'too many failed logins', {
    // The address has a window in memory as well, which ends sooner and does not matter here.
    headers: { 'Retry-After': String(seconds), 'RateLimit-Remaining': '0', 'RateLimit-Reset': String(seconds) },
  })
}

/** Notes a failed login, in the transaction of its event. */
export async function recordLoginFailure(tx: Reader, schema: string, { account, address }: LoginSource): Promise<void> {
  await tx.execute(`insert into ${schema}.login_failures (account_hash, address) values (?, ?)`, [
    accountHash(account),
    address,
  ])
}

/** Forgets the failures of an account from an address, once it has logged in from there. */
export async function clearLoginFailures(tx: Reader, schema: string, { account, address }: LoginSource): Promise<void> {
  await tx.execute(`delete from ${schema}.login_failures where account_hash = ? and address = ?`, [
    accountHash(account),
    address,
  ])
}

/** Deletes the failures that count no more. */
export async function pruneLoginFailures(db: Database): Promise<void> {
  await db.write(async tx => tx.execute(`delete from ${db.schema}.login_failures where failed_at < now() - ${window}`))
}

function accountHash(account: string): string {
  return createHash('sha256').update(account).digest('hex')
}
