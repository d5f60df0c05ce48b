import { newId } from '@cobro/contracts'
import { newRow, type Tx } from '@cobro/database'
import { LockMode } from '@mikro-orm/core'
import { dayOf } from '../settlements/utc-days.ts'
import type { Posting } from './ledger-accounts.ts'
import type { Book } from './ledger-books.ts'
import { LedgerEntryEntity, type LedgerEntryRow, LedgerPositionEntity, type PositionRow } from './ledger-entities.ts'
import { type Position, positionAfter } from './ledger-postings.ts'

/** What entries are posted for. `day` is left out where it is today. */
interface Occasion {
  now: Date
  day?: string
  source_id?: string | null
}

/** Writes entries that are about no single transaction, in the caller's transaction. */
export function postEntries(
  tx: Tx,
  book: Book & { transaction_id?: string },
  postings: readonly Posting[],
  on: Occasion,
) {
  const { merchant_id, currency, transaction_id = null } = book
  for (const { event, debit, credit, amount } of postings) {
    newRow(tx, LedgerEntryEntity, {
      ...{ merchant_id, currency, transaction_id, event, debit, credit },
      id: newId('led', on.now.getTime()),
      amount_cents: amount,
      source_id: on.source_id ?? null,
      day: on.day ?? dayOf(on.now),
      created_at: on.now,
    })
  }
}

/** Writes entries of one transaction and what they change on its locked position, in the caller's transaction. */
export function postFor(tx: Tx, row: PositionRow, postings: readonly Posting[], on: Occasion): void {
  if (postings.length === 0) return
  postEntries(tx, row, postings, on)
  const after = positionAfter(positionOf(row), postings)
  row.pending_cents = after.pending
  row.available_cents = after.available
  row.reserve_cents = after.reserve
  row.disputed_cents = after.disputed
  row.unsettled = true
}

/** A position as the rules see it. */
export function positionOf(row: PositionRow): Position {
  const { pending_cents, available_cents, reserve_cents, disputed_cents, matured_on } = row
  return {
    pending: pending_cents,
    available: available_cents,
    reserve: reserve_cents,
    disputed: disputed_cents,
    matured: matured_on != null,
  }
}

/** Locks the position of a captured transaction. Whoever holds the transaction too has locked that one first. */
export function lockPosition(tx: Tx, transactionId: string): Promise<PositionRow> {
  const locked = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true }
  return tx.findOneOrFail(LedgerPositionEntity, { transaction_id: transactionId }, locked)
}

/** The postings that entries are. */
export function postingsOf(entries: readonly LedgerEntryRow[]): Posting[] {
  return entries.map(({ event, debit, credit, amount_cents: amount }) => ({ event, debit, credit, amount }))
}
