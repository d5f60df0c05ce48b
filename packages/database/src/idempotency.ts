import { createHmac, randomUUID } from 'node:crypto'
import { ApiError } from '@cobro/contracts'
import { currentCall, type KeyRing, type Logger, reveal, updateCallContext } from '@cobro/runtime'
import type { Database } from './open-database.ts'
import { seal, unseal } from './sealed.ts'
import type { Reader } from './transaction.ts'

/** A call that its client may repeat: under the same `id` it has its effect once. */
export interface KeyedCall {
  /** Names the key within its scope: the same for a repetition, and for nothing else. */
  id: string
  /** Of the raw bytes of the body, by which another call under the same key is told from a repetition. */
  body_hash: string
  /** Whether the effect needs an outside call, so that it cannot be one transaction with the answer. */
  lease: boolean
  /** Whether the answer is stored encrypted. */
  secret: boolean
}

/** An answer as it is sent: `body` is its JSON. */
export interface Answer {
  status: number
  body: string
}

/** The calls of a service that bear an Idempotency-Key. */
export interface Idempotency {
  /**
   * Carries out a call unless it was carried out before, and gives its answer, fresh or replayed. Throws
   * `idempotency_mismatch` (422) where the key belongs to another body, `conflict` (409) while the first call runs. A call
   * that throws may be repeated.
   */
  once(call: KeyedCall, carryOut: () => Promise<Answer>): Promise<Answer & { replayed: boolean }>
  /** Forgets answers that are replayed no more. */
  prune(): Promise<void>
}

interface Deps {
  db: Database
  logger: Logger
  /** Encrypts answers that tell a secret. */
  keys?: KeyRing
}

interface KeyRow {
  body_hash: string
  status: number | null
  answer: string | null
  sealed: boolean
  correlation_id: string | null
  merchant_id: string | null
}

const kept = "interval '24 hours'"
/** Longer than any call may take. */
const lease = "interval '60 seconds'"

/** The table of Idempotency-Keys, for the first migration of a service that takes them. Keys are kept as hashes. */
export const idempotencyTable = `
  create table idempotency_keys (
    id text primary key,
    body_hash text not null,
    -- Null while the call runs under its lease.
    status integer,
    answer text,
    sealed boolean not null default false,
    correlation_id text,
    merchant_id text,
    lease_token text,
    lease_until timestamptz,
    created_at timestamptz not null default now()
  );
  create index idempotency_keys_age on idempotency_keys (created_at);
`

/** The Idempotency-Keys of a database's own operations. */
export function idempotencyOf(deps: Deps): Idempotency {
  const { db } = deps
  return {
    once: (call, carryOut) => (call.lease ? onceUnderLease : onceInTransaction)(deps, call, carryOut),
    prune: () =>
      db.read(async em => void (await em.execute(`delete from ${tableOf(db)} where created_at < now() - ${kept}`))),
  }
}

const raced = new Error('Another call was answered under this key meanwhile.')

/**
 * Stores the answer in the transaction of the effect: after a crash either both are there or neither is. Calls that come
 * while the first is in hand are refused by a lock that ends with its transaction.
 */
async function onceInTransaction(deps: Deps, call: KeyedCall, carryOut: () => Promise<Answer>) {
  const known = await deps.db.read(em => findAnswer(deps, em, call))
  if (known) return known
  try {
    const answer = await deps.db.writeTogether(carryOut, {
      first: async tx => {
        const [lock] = await tx.execute('select pg_try_advisory_xact_lock(hashtextextended(?, 0)) as taken', [call.id])
        if (!lock?.taken) throw stillRunning()
        if (await findAnswer(deps, tx, call)) throw raced
      },
      last: (tx, answer) => storeAnswer(deps, tx, call, answer),
    })
    return { ...answer, replayed: false }
  } catch (error) {
    if (error !== raced) throw error
    const answered = await deps.db.read(em => findAnswer(deps, em, call))
    if (answered) return answered
    throw stillRunning()
  }
}

/**
 * Holds the key while the call runs. Should its process die, the lease runs out and a repetition takes over, which has to
 * find out what the first call came to before it does anything. The answer 202 says that this is not known yet: the key is
 * then free for a repetition at once.
 */
async function onceUnderLease(deps: Deps, call: KeyedCall, carryOut: () => Promise<Answer>) {
  const { db } = deps
  const token = randomUUID()
  if (!(await takeLease(deps, call, token))) {
    const known = await db.read(em => findAnswer(deps, em, call))
    if (known) return known
    throw stillRunning()
  }
  // The effect is there by now: that it could not be noted must not take its answer from the client.
  const note = (noting: Promise<unknown>) =>
    noting.catch(error => deps.logger.error({ err: error }, 'what became of an Idempotency-Key was not noted'))
  const held = [`where id = ? and lease_token = ?`, [call.id, token]] as const
  try {
    const answer = await carryOut()
    await note(
      answer.status === 202
        ? db.read(em => em.execute(`update ${tableOf(db)} set lease_until = now() ${held[0]}`, [...held[1]]))
        : db.read(em => storeAnswer(deps, em, call, answer, token)),
    )
    return { ...answer, replayed: false }
  } catch (error) {
    await note(db.read(em => em.execute(`delete from ${tableOf(db)} ${held[0]}`, [...held[1]])))
    throw error
  }
}

/** Takes the key for a call. It cannot be had where an answer is stored, or another call runs or has another body. */
async function takeLease({ db, keys }: Deps, call: KeyedCall, token: string): Promise<boolean> {
  const taken = await db.read(em =>
    em.execute(
      `insert into ${tableOf(db)} as known (id, body_hash, lease_token, lease_until) values (?, ?, ?, now() + ${lease})
       on conflict (id) do update
         set body_hash = excluded.body_hash, status = null, answer = null, sealed = false,
           lease_token = excluded.lease_token, lease_until = excluded.lease_until, created_at = now()
         where known.created_at < now() - ${kept}
           or (known.status is null and known.lease_until <= now() and known.body_hash = excluded.body_hash)
       returning 1`,
      [call.id, bodyHashes(keys, call)[0], token],
    ),
  )
  return taken.length > 0
}

/** The stored answer of a key; undefined where there is none yet. */
async function findAnswer({ db, keys }: Deps, em: Pick<Reader, 'execute'>, call: KeyedCall) {
  const [known] = await em.execute<KeyRow[]>(
    `select body_hash, status, answer, sealed, correlation_id, merchant_id from ${tableOf(db)}
     where id = ? and created_at >= now() - ${kept}`,
    [call.id],
  )
  if (!known) return undefined
  if (!bodyHashes(keys, call).includes(known.body_hash)) {
    throw new ApiError('idempotency_mismatch', 'this Idempotency-Key was used with another body')
  }
  if (known.status === null || known.answer === null) return undefined
  updateCallContext(known)
  const body = known.sealed ? unseal(keysOf(keys), known.answer) : known.answer
  return { status: known.status, body, replayed: true }
}

/** Stores an answer; one that was given under a lease only while nobody else has taken the key over. */
async function storeAnswer(
  { db, keys }: Deps,
  em: Pick<Reader, 'execute'>,
  call: KeyedCall,
  { status, body }: Answer,
  token: string | null = null,
): Promise<void> {
  const { correlation_id, merchant_id } = currentCall()
  const answer = call.secret ? seal(keysOf(keys), body) : body
  const row = [call.id, bodyHashes(keys, call)[0], status, answer, call.secret, correlation_id, merchant_id, token]
  await em.execute(
    `insert into ${tableOf(db)} as known
       (id, body_hash, status, answer, sealed, correlation_id, merchant_id, lease_token) values (${row.map(() => '?')})
     on conflict (id) do update
       set (body_hash, status, answer, sealed, correlation_id, merchant_id, lease_token, created_at) =
         (excluded.body_hash, excluded.status, excluded.answer, excluded.sealed, excluded.correlation_id,
          excluded.merchant_id, excluded.lease_token, now())
       where known.created_at < now() - ${kept} or known.lease_token = excluded.lease_token`,
    row,
  )
}

/**
 * What a body may be known by, the first being written. Where secrets go to and fro, a password may be among what is hashed: then
 * it is keyed, by any key of the ring, so that nobody who reads the table can try guesses on it.
 */
function bodyHashes(keys: KeyRing | undefined, { secret, body_hash }: KeyedCall): string[] {
  if (!secret) return [body_hash]
  return keysOf(keys).map(({ bytes }) => createHmac('sha256', reveal(bytes)).update(body_hash).digest('hex'))
}

function stillRunning(): ApiError {
  return new ApiError('conflict', 'a request with this Idempotency-Key is still running')
}

function keysOf(keys: KeyRing | undefined): KeyRing {
  if (!keys) throw new Error('An answer that tells a secret needs encryption keys to be stored.')
  return keys
}

function tableOf(db: Database): string {
  return `${db.schema}.idempotency_keys`
}
