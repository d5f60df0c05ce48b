import { createHash } from 'node:crypto'
import { ApiError } from '@cobro/contracts'
import type { Database, Reader } from '@cobro/database'
import { serializeByKey } from './serialize-by-key.ts'

/**
 * Limits of failed logins in 15 minutes: 5 to an account from one address, 20 from an address, and 20
 * to an account from all addresses. The last two do not apply to an account at an address where it has logged in or
 * refreshed a login, so that others can lock its owner out neither by guessing its password nor from its network. A
 * device with a valid device token has 5 of its own, wherever it is, before it counts as unknown.
 */
export const window = "interval '15 minutes'"
const maxPerAccountAndAddress = 5
const maxPerAddress = 20
export const maxPerAccount = 20

/** How long failures are kept: an alert counts those of a day. */
export const keptFor = "interval '1 day'"

/** How long an account's address stays known after its last login or refresh there. */
const knownFor = "interval '90 days'"

/** The account (an e-mail address or a setup token) and the client address of a login attempt. */
export interface LoginSource {
  account: string
  address: string
  /** The device of a valid device token of the account. */
  device?: string | undefined
}

const perAddress = serializeByKey()

/**
 * Runs `judge`, which rejects a failed attempt with a 401, unless too many attempts have failed. It gets the id of the
 * attempt. An attempt counts as failed from its start, so that concurrent attempts to an account cannot exceed its limit. Attempts
 * from one address run one after another, so that those that succeed do not block each other.
 */
export function checkThrottled<T>(
  db: Database,
  source: LoginSource,
  judge: (attempt: string) => Promise<T>,
): Promise<T> {
  return perAddress(source.address, async () => {
    const attempt = await countAttempt(db, source)
    let failed = false
    try {
      return await judge(attempt)
    } catch (error) {
      failed = error instanceof ApiError && error.code === 'unauthorized'
      throw error
    } finally {
      if (!failed) await db.execute(`delete from ${db.schema}.login_failures where id = ?`, [attempt])
    }
  })
}

/** Records an attempt as failed and returns its id, unless too many others have failed. */
function countAttempt(db: Database, source: LoginSource): Promise<string> {
  const { account, address, device } = source
  return db.write(async tx => {
    // A device is an account at an address of its own, so only the first limit can be reached there.
    const ofDevice = device === undefined ? undefined : { account: device, address: device }
    if (ofDevice && (await secondsToWait(tx, db.schema, ofDevice)) === 0) return addFailure(tx, db.schema, ofDevice)
    const seconds = await secondsToWait(tx, db.schema, { account, address })
    if (seconds > 0) throw tooManyFailures(seconds)
    return addFailure(tx, db.schema, source)
  })
}

/** Locks an account until the end of the transaction. Returns how long its attempts are rejected, 0 if they are not. */
async function secondsToWait(tx: Reader, schema: string, { account, address }: LoginSource): Promise<number> {
  const hash = accountHash(account)
  await tx.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`login attempts of ${hash}`])
  const until = `ceil(extract(epoch from failed_at + ${window} - now()))::int as wait`
  const recent = `select ${until} from ${schema}.login_failures where failed_at > now() - ${window}`
  const unknown = `not exists (
    select from ${schema}.known_addresses
    where account_hash = ? and address = ? and seen_at > now() - ${knownFor}
  )`
  const beyond = (limit: number) => `order by failed_at desc offset ${limit - 1} limit 1`
  const waits = await tx.execute<{ wait: number }[]>(
    `(${recent} and account_hash = ? and address = ? ${beyond(maxPerAccountAndAddress)})
     union all
     (${recent} and address = ? and ${unknown} ${beyond(maxPerAddress)})
     union all
     (${recent} and account_hash = ? and ${unknown} ${beyond(maxPerAccount)})`,
    [...[hash, address], ...[address, hash, address], ...[hash, hash, address]],
  )
  return waits.length === 0 ? 0 : Math.max(1, ...waits.map(({ wait }) => wait))
}

async function addFailure(tx: Reader, schema: string, { account, address }: LoginSource): Promise<string> {
  const insert = `insert into ${schema}.login_failures (account_hash, address) values (?, ?) returning id`
  const [attempt] = await tx.execute<{ id: string }[]>(insert, [accountHash(account), address])
  return attempt?.id ?? ''
}

/** A 429 with the time until the failures are fewer. */
function tooManyFailures(seconds: number): ApiError {
  return new ApiError('rate_limited', 'too many failed logins', {
    // Replaces the headers of the in-memory rate limit of the address, whose window ends earlier.
    headers: { 'Retry-After': String(seconds), 'RateLimit-Remaining': '0', 'RateLimit-Reset': String(seconds) },
  })
}

/**
 * Makes an address known after a success there, and deletes the account's failures from it, unless
 * the device proved itself by a token: then those may be another's guesses behind the same address.
 */
export async function recordLoginSuccess(tx: Reader, schema: string, source: LoginSource): Promise<void> {
  const columns = [accountHash(source.account), source.address]
  if (source.device === undefined)
    await tx.execute(`delete from ${schema}.login_failures where account_hash = ? and address = ?`, columns)
  await rememberAddress(tx, schema, source)
}

/** Makes an address known as one of the account's owner, who logged in or used a login there. */
export async function rememberAddress(tx: Reader, schema: string, { account, address }: LoginSource): Promise<void> {
  await tx.execute(
    `insert into ${schema}.known_addresses (account_hash, address) values (?, ?)
     on conflict (account_hash, address) do update set seen_at = now()
     where known_addresses.seen_at < now() - interval '1 day'`,
    [accountHash(account), address],
  )
}

/** Returns whether an account has ever been used, and is not known at this address. */
export async function isNewPlace(tx: Reader, schema: string, { account, address }: LoginSource): Promise<boolean> {
  const [known] = await tx.execute<{ isNew: boolean }[]>(
    `select count(*) > 0 and count(*) filter (where address = ? and seen_at > now() - ${knownFor}) = 0 as "isNew"
     from ${schema}.known_addresses where account_hash = ?`,
    [address, accountHash(account)],
  )
  return known?.isNew ?? false
}

/**
 * Deletes failures older than a day, and addresses that are no longer known. The last one of a user stays: without any, the
 * account would count as never used, and its next login would not be reported.
 */
export async function pruneLoginRecords(db: Database): Promise<void> {
  const known = `${db.schema}.known_addresses`
  await db.execute(`delete from ${db.schema}.login_failures where failed_at < now() - ${keptFor}`)
  await db.execute(
    `delete from ${known} old
     where seen_at < now() - ${knownFor} and (
       exists (
         select from ${known} newer
         where newer.account_hash = old.account_hash and (newer.seen_at, newer.address) > (old.seen_at, old.address)
       )
       or not exists (
         select from ${db.schema}.users where encode(sha256(convert_to(email, 'UTF8')), 'hex') = old.account_hash
       )
     )`,
  )
}

function accountHash(account: string): string {
  return createHash('sha256').update(account).digest('hex')
}
