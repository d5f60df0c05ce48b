import { type Id, newId } from '@cobro/contracts'
import { newRow, type Tx } from '@cobro/database'
import { LockMode } from '@mikro-orm/core'
import { dayOf } from '../time/utc-days.ts'
import type { Posting } from './ledger-accounts.ts'
import {
  LedgerEntryEntity,
  type LedgerEntryRow,
  LedgerPositionEntity,
  type LedgerPositionRow,
} from './ledger-entities.ts'
import { positionAfter } from './ledger-postings.ts'
import type { MerchantLedger } from './merchant-ledgers.ts'

/** When and for what entries are posted. `day` defaults to today. */
interface PostingContext {
  now: Date
  day?: string
  source_id?: string | null
}

/** Inserts entries in the caller's transaction. Used alone for entries of no single transaction. */
export function postEntries(
  tx: Tx,
  ledger: MerchantLedger & { transaction_id?: Id<'txn'> },
  postings: readonly Posting[],
  context: PostingContext,
) {
  const { merchant_id, currency, transaction_id = null } = ledger
  for (const { event, debit, credit, amount } of postings) {
    newRow(tx, LedgerEntryEntity, {
      ...{ merchant_id, currency, transaction_id, event, debit, credit },
      id: newId('led', context.now.getTime()),
      amount_cents: amount,
      source_id: context.source_id ?? null,
      day: context.day ?? dayOf(context.now),
      created_at: context.now,
    })
  }
}

/** Inserts entries of one transaction and updates its locked position, both in `tx`. */
export function postToPosition(tx: Tx, row: LedgerPositionRow, postings: readonly Posting[], context: PostingContext) {
  if (postings.length === 0) return
  postEntries(tx, row, postings, context)
  Object.assign(row, positionAfter(row, postings), { unsettled: true })
}

/** Locks a captured transaction's position. Code that locks both locks the transaction first. */
export function lockPosition(tx: Tx, transactionId: Id<'txn'>): Promise<LedgerPositionRow> {
  const locked = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true }
  return tx.findOneOrFail(LedgerPositionEntity, { transaction_id: transactionId }, locked)
}

/** Converts entry rows to postings. */
export function postingsOf(entries: readonly LedgerEntryRow[]): Posting[] {
  return entries.map(({ event, debit, credit, amount_cents: amount }) => ({ event, debit, credit, amount }))
}
