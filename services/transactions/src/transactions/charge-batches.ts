import { AsyncLocalStorage } from 'node:async_hooks'
import { type Message, metadataTerms } from '@cobro/contracts'
import { type Database, type Emit, isDatabaseUnavailable, type Tx, tracedApart } from '@cobro/database'
import { batchWriter, captureTrace, inNewTrace } from '@cobro/runtime'
import { LockMode } from '@mikro-orm/core'
import { captureTerms } from '../ledger/post-capture.ts'
import { type Admitted, type Attempt, admitAttempt, rowOf } from './admit-attempt.ts'
import { type ChargeResult, settleLocked } from './settle-transaction.ts'
import type { AttemptRow } from './tell-settled.ts'
import { TransactionEntity, type TransactionRow } from './transaction-entity.ts'

/** What is asked of the acquirer and answered follows from this. */
type ChargedRow = AttemptRow & Pick<TransactionRow, 'id' | 'amount_cents' | 'currency'>

/** The two writes of a charge, before and after the acquirer is asked. Charges that are at the same point are written together. */
export interface ChargeBatches {
  /** As `admitAttempt` of one that is in time. */
  admit: (attempt: Attempt) => Promise<Admitted<ChargedRow>>
  /** As `settleTransaction`. */
  settle: (id: string, outcome: ChargeResult) => Promise<Message | undefined>
}

interface Batched<T> {
  item: T
  /** Runs what concerns this item alone in the call that it came from. */
  within: <R>(work: () => R) => R
}

interface Settled {
  id: string
  outcome: ChargeResult
}

const maxItems = 50

/** Makes the batches of a service. One that is written holds up nobody who comes alone: see `batchWriter`. */
export function chargeBatches(db: Database): ChargeBatches {
  const options = { maxItems, isUnavailable: isDatabaseUnavailable }
  const insert = batchWriter<Batched<Attempt>, (ChargedRow | undefined)[]>({
    ...options,
    write: batch => inOneTrace('admit charges', batch, () => insertAll(db, batch)),
  })
  const settle = batchWriter<Batched<Settled>, (Message | undefined)[]>({
    ...options,
    write: batch => inOneTrace('settle charges', batch, () => db.write((tx, emit) => settleAll(tx, emit, batch))),
  })
  return {
    admit: async attempt => {
      const row = await insert(inItsCall(attempt))
      return row ? { row, made: true, settled: undefined } : admitAttempt(db, attempt, 'pending')
    },
    settle: (id, outcome) => settle(inItsCall({ id, outcome })),
  }
}

const inItsCall = <T>(item: T): Batched<T> => ({ item, within: AsyncLocalStorage.snapshot() })

/** One that is alone is part of its own trace. Several make a trace that is linked with theirs. */
function inOneTrace<T, R>(name: string, batch: Batched<T>[], work: () => Promise<R>): Promise<R> {
  const [first, ...others] = batch
  if (first && others.length === 0) return first.within(work)
  return inNewTrace(name, { links: batch.map(({ within }) => within(captureTrace)) }, work)
}

/**
 * Makes the transactions of attempts that nobody had heard of, by one statement. What is known already, or might be a second charge
 * of its intent, is left alone and gives undefined: `admitAttempt` looks at it more closely. Two replicas with the same attempts
 * take them in the same order, so that neither waits for the other in a circle.
 */
async function insertAll(db: Database, batch: Batched<Attempt>[]) {
  const rows = batch.map(({ item }) => ({
    ...rowOf(item, 'pending'),
    metadata_terms: metadataTerms(item.metadata),
  }))
  const columns = Object.keys(Object.assign({}, ...rows)).join(', ')
  const sorted = rows.toSorted(
    (a, b) => a.payment_intent_id.localeCompare(b.payment_intent_id) || a.attempt - b.attempt,
  )
  const table = `${db.schema}.transactions`
  const made = await db.read(em =>
    em.execute<{ id: string }[]>(
      `insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, ?::jsonb)
       on conflict do nothing returning id`,
      [JSON.stringify(sorted)],
    ),
  )
  const ids = new Set(made.map(({ id }) => id))
  return rows.map(row => (ids.has(row.id) ? row : undefined))
}

/** Settles transactions that are locked together, in one order as everybody. Each is told in the call that it came from. */
async function settleAll(tx: Tx, emit: Emit, batch: Batched<Settled>[]): Promise<(Message | undefined)[]> {
  const ids = [...new Set(batch.map(({ item }) => item.id))]
  const locked = { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' } } as const
  const rows = await tx.find(TransactionEntity, { id: { $in: ids } }, locked)
  const terms = await captureTerms(tx, rows)
  const rowOfId = new Map(rows.map(row => [row.id, row]))
  const told: (Message | undefined)[] = []
  const traced = tracedApart(emit)
  for (const { item, within } of batch) {
    const row = rowOfId.get(item.id)
    if (!row) throw new Error(`There is no transaction ${item.id}.`)
    told.push(await within(() => settleLocked({ tx, emit: traced }, row, item.outcome, { terms })))
  }
  return told
}
