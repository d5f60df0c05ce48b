import { createHmac, randomUUID } from 'node:crypto'
import { ApiError } from '@cobro/contracts'
import {
  currentCall,
  type HttpAnswer,
  type Idempotency,
  type KeyedCall,
  type KeyRing,
  type Logger,
  reveal,
  updateCallContext,
} from '@cobro/runtime'
import { writeLast } from './new-row.ts'
import type { Database } from './open-database.ts'
import { seal, unseal } from './sealed.ts'
import type { Tx } from './transaction.ts'

interface Deps {
  db: Database
  logger: Logger
  /** Encrypts answers that contain a secret. */
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

const answerLifetime = "interval '24 hours'"
/** Longer than any call may take. */
const leaseTime = "interval '60 seconds'"

/** An answer, and whose lifecycle it is about. */
interface StoredAnswer extends HttpAnswer {
  correlation_id: string
  merchant_id: string
}

/**
 * Stores the answer to a call under a lease with the last writes of a transaction, unless the call
 * has one. That spares a commit. `id` is that of the call, which then returns the answer with `isStored`. Not for answers with a
 * secret.
 */
export function storeAnswerLast(tx: Tx, schema: string, id: string, answer: StoredAnswer): void {
  const { status, body, correlation_id, merchant_id } = answer
  writeLast(
    tx,
    `update ${schema}.idempotency_keys set status = ?, answer = ?, correlation_id = ?, merchant_id = ?
     where id = ? and status is null`,
    [status, body, correlation_id, merchant_id, id],
  )
}

/** SQL of the table of Idempotency-Keys, stored as hashes, for a service's first migration. */
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

/** Returns a service's Idempotency-Keys, kept in its database. `prune` deletes expired answers. */
export function idempotencyOf(deps: Deps): Idempotency & { prune(): Promise<unknown> } {
  const { db } = deps
  return {
    once: (call, carryOut) => (call.lease ? onceUnderLease : onceInTransaction)(deps, call, carryOut),
    prune: () => db.execute(`delete from ${tableOf(db)} where created_at < now() - ${answerLifetime}`),
  }
}

/**
 * Stores the answer in the transaction of the effect: after a crash both exist or neither does.
 * An advisory lock rejects other calls with the same key until the transaction ends.
 */
async function onceInTransaction(deps: Deps, call: KeyedCall, carryOut: () => Promise<HttpAnswer>) {
  const known = await findAnswer(deps, deps.db, call)
  if (known) return known
  const meanwhile: { answer?: (HttpAnswer & { replayed: boolean }) | undefined } = {}
  try {
    const answer = await deps.db.withSharedTransaction(carryOut, {
      onBegin: async tx => {
        const [lock] = await tx.execute('select pg_try_advisory_xact_lock(hashtextextended(?, 0)) as taken', [call.id])
        if (!lock?.taken) throw stillRunning()
        meanwhile.answer = await findAnswer(deps, tx, call)
        if (meanwhile.answer) throw new Error('Another call with this Idempotency-Key was answered in the meantime.')
      },
      beforeCommit: (tx, answer) => storeAnswer(deps, tx, call, answer),
    })
    return { ...answer, replayed: false }
  } catch (error) {
    if (meanwhile.answer) return meanwhile.answer
    throw error
  }
}

/**
 * Leases the key while the call runs. If the process dies, the lease expires and a repetition takes
 * over; the operation must then find out the outcome of the first call before it does anything. The answer 202 means
 * that the outcome is not known yet, so it ends the lease at once and allows a repetition.
 */
async function onceUnderLease(deps: Deps, call: KeyedCall, carryOut: () => Promise<HttpAnswer>) {
  const { db } = deps
  const token = randomUUID()
  let taken = false
  const take = async (on: Pick<Database, 'execute'>) => {
    // Assigned also on failure: a transaction that is tried again may find the key taken.
    taken = await takeLease(deps, on, call, token)
    if (!taken) throw stillRunning()
  }
  // The effect has happened by now: the client gets the answer even if it cannot be stored.
  const record = (stored: Promise<unknown>) =>
    stored.catch(error => deps.logger.error({ err: error }, 'could not record the outcome of an Idempotency-Key'))
  const own = [`where id = ? and lease_token = ?`, [call.id, token]] as const
  try {
    // If the reply to this statement is lost, the lease may have been taken.
    taken = call.lease === 'at_once'
    const answer = await (taken ? take(db).then(carryOut) : db.withFirstWrite(carryOut, take))
    if (answer.status === 202)
      await record(db.execute(`update ${tableOf(db)} set lease_until = now() ${own[0]}`, own[1]))
    else if (!answer.isStored) await record(storeAnswer(deps, db, call, answer, token))
    return { ...answer, replayed: false }
  } catch (error) {
    if (taken) await record(db.execute(`delete from ${tableOf(db)} ${own[0]} and status is null`, own[1]))
    const known = taken ? undefined : await findAnswer(deps, db, call)
    if (known) return known
    throw error
  }
}

/**
 * Leases the key to a call. Returns false if an answer is stored, another call runs, or an earlier
 * call had another body.
 */
async function takeLease(
  { db, keys }: Deps,
  on: Pick<Database, 'execute'>,
  call: KeyedCall,
  token: string,
): Promise<boolean> {
  const taken = await on.execute(
    `insert into ${tableOf(db)} as known (id, body_hash, lease_token, lease_until) values (?, ?, ?, now() + ${leaseTime})
       on conflict (id) do update
         set body_hash = excluded.body_hash, status = null, answer = null, sealed = false,
           lease_token = excluded.lease_token, lease_until = excluded.lease_until, created_at = now()
         where known.created_at < now() - ${answerLifetime}
           or (known.status is null and known.lease_until <= now() and known.body_hash = excluded.body_hash)
       returning 1`,
    [call.id, bodyHashes(keys, call)[0], token],
  )
  return taken.length > 0
}

/** Returns the stored answer of a key, or undefined if there is none yet. */
async function findAnswer({ db, keys }: Deps, on: Pick<Database, 'execute'>, call: KeyedCall) {
  const [known] = await on.execute<KeyRow>(
    `select body_hash, status, answer, sealed, correlation_id, merchant_id from ${tableOf(db)}
     where id = ? and created_at >= now() - ${answerLifetime}`,
    [call.id],
  )
  if (!known) return undefined
  if (!bodyHashes(keys, call).includes(known.body_hash)) {
    throw new ApiError(
      'idempotency_mismatch',
      call.secret
        ? 'this Idempotency-Key was used with another body or by another caller'
        : 'this Idempotency-Key was used with another body',
    )
  }
  if (known.status === null || known.answer === null) return undefined
  updateCallContext(known)
  const body = known.sealed ? unseal(keysOf(keys), known.answer) : known.answer
  return { status: known.status, body, replayed: true }
}

/** Stores an answer. With a lease token it does so only if no other call has taken over the key. */
async function storeAnswer(
  { db, keys }: Deps,
  on: Pick<Database, 'execute'>,
  call: KeyedCall,
  { status, body }: HttpAnswer,
  token: string | null = null,
): Promise<void> {
  const { correlation_id, merchant_id } = currentCall()
  const answer = call.secret ? seal(keysOf(keys), body) : body
  const row = [call.id, bodyHashes(keys, call)[0], status, answer, call.secret, correlation_id, merchant_id, token]
  await on.execute(
    `insert into ${tableOf(db)} as known
       (id, body_hash, status, answer, sealed, correlation_id, merchant_id, lease_token) values (${row.map(() => '?')})
     on conflict (id) do update
       set (body_hash, status, answer, sealed, correlation_id, merchant_id, lease_token, created_at) =
         (excluded.body_hash, excluded.status, excluded.answer, excluded.sealed, excluded.correlation_id,
          excluded.merchant_id, excluded.lease_token, now())
       where known.created_at < now() - ${answerLifetime} or known.lease_token = excluded.lease_token`,
    row,
  )
}

/**
 * Returns the hashes that identify a body; the first is stored. With secrets they are HMACs,
 * one with each key of the ring: a reader of the table cannot test guesses of a password against them.
 */
function bodyHashes(keys: KeyRing | undefined, { secret, body_hash }: KeyedCall): string[] {
  if (!secret) return [body_hash]
  return keysOf(keys).map(({ bytes }) => createHmac('sha256', reveal(bytes)).update(body_hash).digest('hex'))
}

function stillRunning(): ApiError {
  return new ApiError('conflict', 'a request with this Idempotency-Key is still running', {
    headers: { 'Retry-After': '1' },
  })
}

function keysOf(keys: KeyRing | undefined): KeyRing {
  if (!keys) throw new Error('Storing an answer that contains a secret needs encryption keys.')
  return keys
}

function tableOf(db: Database): string {
  return `${db.schema}.idempotency_keys`
}
