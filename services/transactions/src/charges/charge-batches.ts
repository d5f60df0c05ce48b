import { AsyncLocalStorage } from 'node:async_hooks'
import { type Id, type Message, metadataTerms } from '@cobro/contracts'
import { type Database, type Emit, emitInCurrentTrace, findRows, isDatabaseUnavailable, type Tx } from '@cobro/database'
import { captureTrace, groupCommit, inNewTrace } from '@cobro/runtime'
import {
  type AdmittedAttempt,
  type Attempt,
  admitAttempt,
  newTransactionOf,
} from '../payment-attempts/admit-attempt.ts'
import type { AttemptIdentity } from '../payment-attempts/attempt-resolution.ts'
import { captureTerms } from '../transactions/post-capture.ts'
import { TransactionEntity, type TransactionRow } from '../transactions/transaction-entity.ts'
import type { ChargeReport } from './charge-states.ts'
import { resolveLockedCharge } from './resolve-charge.ts'

/** The fields needed to call the acquirer and build the reply. */
type ChargedRow = AttemptIdentity & Pick<TransactionRow, 'id' | 'amount_cents' | 'currency'>

/** The writes of a charge before and after the acquirer call. Concurrent charges share queries. */
export interface ChargeBatches {
  /** Does what `admitAttempt` does for an attempt before its deadline. */
  admit: (attempt: Attempt) => Promise<AdmittedAttempt<ChargedRow>>
  /** Does what `resolveCharge` does. */
  resolve: (charge: KnownCharge, report: ChargeReport) => Promise<Message | undefined>
}

/** What a batch knows of a charge before it has locked its row. */
type KnownCharge = Pick<TransactionRow, 'id' | 'merchant_id'>

interface Batched<T> {
  item: T
  /** Runs work for this item in the async context of the request that it came from. */
  inContext: <R>(work: () => R) => R
}

interface ReportedCharge {
  charge: KnownCharge
  report: ChargeReport
}

const maxItems = 50

/** Creates a service's batches. Writes a charge that comes alone at once: see `groupCommit`. */
export function chargeBatches(db: Database): ChargeBatches {
  const options = { maxItems, isUnavailable: isDatabaseUnavailable }
  const insert = groupCommit<Batched<Attempt>, (ChargedRow | undefined)[]>({
    ...options,
    write: batch => inBatchTrace('admit charges', batch, () => insertAll(db, batch)),
  })
  const resolve = groupCommit<Batched<ReportedCharge>, (Message | undefined)[]>({
    ...options,
    write: batch => inBatchTrace('resolve charges', batch, () => db.write((tx, emit) => resolveAll(tx, emit, batch))),
  })
  return {
    admit: async attempt => {
      const row = await insert(withContext(attempt))
      return row ? { row, created: true, resolution: undefined } : admitAttempt(db, attempt, 'pending')
    },
    resolve: (charge, report) => resolve(withContext({ charge, report })),
  }
}

const withContext = <T>(item: T): Batched<T> => ({ item, inContext: AsyncLocalStorage.snapshot() })

/** Runs a batch of one in the item's own trace, a larger one in a new trace linked to theirs. */
function inBatchTrace<T, R>(name: string, batch: Batched<T>[], work: () => Promise<R>): Promise<R> {
  const [first, ...others] = batch
  if (first && others.length === 0) return first.inContext(work)
  return inNewTrace(name, { links: batch.map(({ inContext }) => inContext(captureTrace)) }, work)
}

/**
 * Inserts the transactions of new attempts with one statement. Returns undefined for an attempt
 * that exists already or might be a second charge of its intent; `admitAttempt` then handles it alone. Rows are sorted,
 * so that two replicas with the same attempts insert them in the same order and don't deadlock.
 */
async function insertAll(db: Database, batch: Batched<Attempt>[]) {
  const rows = batch.map(({ item }) => ({
    ...newTransactionOf(item, 'pending'),
    metadata_terms: metadataTerms(item.metadata),
  }))
  const columns = Object.keys(Object.assign({}, ...rows)).join(', ')
  const sorted = rows.toSorted(
    (a, b) => a.payment_intent_id.localeCompare(b.payment_intent_id) || a.attempt - b.attempt,
  )
  const table = `transactions.transactions`
  const inserted = await db.execute<{ id: Id<'txn'> }>(
    `insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, ?::jsonb)
     on conflict do nothing returning id`,
    [JSON.stringify(sorted)],
  )
  const ids = new Set(inserted.map(({ id }) => id))
  return rows.map(row => (ids.has(row.id) ? row : undefined))
}

/**
 * Resolves charges in one transaction. Locks rows by id and emits in each request's context. The terms do not depend on what
 * the rows show, so all is read at once.
 */
async function resolveAll(tx: Tx, emit: Emit, batch: Batched<ReportedCharge>[]): Promise<(Message | undefined)[]> {
  const charges = batch.map(({ item }) => item.charge)
  const ids = [...new Set(charges.map(({ id }) => id))]
  const [rows, terms] = await Promise.all([
    findRows(tx, TransactionEntity, 'id = any(?) order by id for update', [`{${ids.join(',')}}`]),
    captureTerms(tx, charges),
  ])
  const rowById = new Map(rows.map(row => [row.id, row]))
  const resolutions: (Message | undefined)[] = []
  const emitTraced = emitInCurrentTrace(emit)
  for (const { item, inContext } of batch) {
    const row = rowById.get(item.charge.id)
    if (!row) throw new Error(`There is no transaction ${item.charge.id}.`)
    const resolving = inContext(() => resolveLockedCharge({ tx, emit: emitTraced }, row, item.report, { terms }))
    resolutions.push(await resolving)
  }
  return resolutions
}
