import type { Caller, Id, RowOf, users } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import type { KeyRing, Logger } from '@cobro/runtime'
import { possibleApiKeyHashes } from '../api-keys/api-key-hash.ts'
import { cachedLoad } from '../cache/cached-load.ts'
import { type IpRange, parseIpRange } from '../network/ip-ranges.ts'
import type { TokenLogin } from '../refresh-tokens/refresh-tokens.ts'

type CallerMerchant = 'merchant_id' | 'merchant_name' | 'merchant_status'
export interface MerchantRecord extends Pick<Extract<Caller, { kind: 'client' }>, CallerMerchant> {}

export interface KeyRecord extends MerchantRecord {
  id: Id<'key'>
  /** Address ranges from which the key may be used; null allows every address. */
  allowed: IpRange[] | null
  /** What the key is limited to; null allows everything that keys may do. */
  scopes: string[] | null
  /** Expiry in milliseconds since the epoch; null means never. */
  expires_at_ms: number | null
}

/** A user; `merchant` is set for clients. */
interface UserRecord extends Pick<RowOf<typeof users>, 'id' | 'role' | 'access' | 'status' | 'merchants'> {
  merchant: MerchantRecord | null
  /** When someone else last changed its credentials or access, in seconds since the epoch. */
  credentials_since: number
}

/** Every replica honors a revoked key, an ended login or a disabled user or merchant within a second. */
const ttlMs = 900
const recordUseIntervalMs = 60_000

const merchantColumns = 'm.id as merchant_id, m.name as merchant_name, m.status as merchant_status'

/**
 * Looks up callers and caches results for at most 900 ms. Each replica records the use of a key
 * at most once a minute, and the update's condition lets only one replica write.
 */
export function callerRecords({ db, peppers, logger }: { db: Database; peppers: KeyRing; logger: Logger }) {
  const recordKeyUse = cachedLoad({ ttlMs: recordUseIntervalMs, load: (id: string) => writeUse(db, id) })
  return {
    /** Finds an active API key by its value. */
    key: cachedLoad({ ttlMs, load: (key: string) => findKey(db, possibleApiKeyHashes(peppers, key)) }),
    /** Finds the user of a login that has not ended: by a logout, a new password or a copied refresh token. */
    user: cachedLoad({
      ttlMs,
      keyOf: ({ user_id, family_id }: TokenLogin) => `${user_id} ${family_id}`,
      load: (login: TokenLogin) => findUser(db, login),
    }),
    merchant: cachedLoad({ ttlMs, load: (id: string) => findMerchant(db, id) }),
    /** Records a key's use in the background. Logs failures, which do not affect the call. */
    recordKeyUse: (id: string): void => {
      recordKeyUse(id).catch(error => logger.warn({ err: error }, 'the use of an API key could not be recorded'))
    },
  }
}

export type CallerRecords = ReturnType<typeof callerRecords>

interface FoundKey extends Omit<KeyRecord, 'allowed'> {
  allowed_ips: string[] | null
}

async function findKey(db: Database, hashes: string[]): Promise<KeyRecord | undefined> {
  const [found] = await db.execute<FoundKey>(
    `select k.id, k.allowed_ips, k.scopes, (extract(epoch from k.expires_at) * 1000)::float8 as expires_at_ms, ${merchantColumns}
     from ${db.schema}.api_keys k join ${db.schema}.merchants m on m.id = k.merchant_id
     where k.key_hash = any(?::text[]) and k.status = 'active'`,
    [`{${hashes.join(',')}}`],
  )
  if (!found) return undefined
  const { allowed_ips, ...key } = found
  return { ...key, allowed: allowed_ips?.map(parseIpRange) ?? null }
}

function writeUse(db: Database, keyId: string): Promise<unknown> {
  return db.write(async tx =>
    tx.execute(
      `update ${db.schema}.api_keys set last_used_at = now()
       where id = ? and (last_used_at is null or last_used_at <= now() - interval '1 minute')`,
      [keyId],
      'run',
    ),
  )
}

async function findUser(db: Database, { user_id, family_id }: TokenLogin): Promise<UserRecord | undefined> {
  const [found] = await db.execute<Omit<UserRecord, 'merchant'> & MerchantRecord>(
    `select u.id, u.role, u.access, u.status, u.merchants,
       extract(epoch from u.credentials_since)::float8 as credentials_since, ${merchantColumns}
     from ${db.schema}.users u left join ${db.schema}.merchants m on m.id = u.merchant_id
     where u.id = ? and (?::text is null or exists (
       select from ${db.schema}.refresh_tokens t
       where t.family_id = ? and t.user_id = u.id and t.revoked_at is null and t.expires_at > now()))`,
    [user_id, family_id ?? null, family_id ?? null],
  )
  if (!found) return undefined
  const { merchant_id, merchant_name, merchant_status, ...user } = found
  return { ...user, merchant: merchant_id === null ? null : { merchant_id, merchant_name, merchant_status } }
}

async function findMerchant(db: Database, id: string): Promise<MerchantRecord | undefined> {
  const select = `select ${merchantColumns} from ${db.schema}.merchants m where m.id = ? and m.deleted_at is null`
  const [found] = await db.execute<MerchantRecord>(select, [id])
  return found
}
