import { ApiError } from '@cobro/contracts'
import type { Emit, Tx } from '@cobro/database'
import { lockBook } from '../ledger/ledger-books.ts'
import { settlementPaidPostings, settlementReversedPostings } from '../ledger/ledger-postings.ts'
import { postEntries } from '../ledger/post-entries.ts'
import { freeEntries } from './collect-entries.ts'
import type { SettlementRow } from './settlement-entity.ts'

interface Ending {
  tx: Tx
  emit: Emit
  schema: string
}

/**
 * Ends a locked settlement: it was paid, or it failed or is deleted and gives its entries free for another one. Only a pending
 * one can be ended.
 */
export async function endSettlement(
  ending: Ending,
  row: SettlementRow,
  how: 'paid' | 'failed' | 'deleted',
): Promise<void> {
  const { tx, emit, schema } = ending
  if (row.deleted_at) throw new ApiError('conflict', 'the settlement is deleted')
  if (row.status !== 'pending') throw new ApiError('conflict', `the settlement is ${row.status}`)
  const { merchant_id, currency } = row
  const book = { merchant_id, currency }
  const now = new Date()
  const net = BigInt(row.net_cents)
  row.updated_at = now
  if (how === 'paid') {
    row.status = 'paid'
    row.paid_at = now
    postEntries(tx, book, settlementPaidPostings(net), { now, source_id: row.id })
  } else {
    if (how === 'failed') row.status = 'failed'
    else row.deleted_at = now
    await lockBook({ tx, book })
    await freeEntries({ tx, schema }, row.id)
    postEntries(tx, book, settlementReversedPostings(net), { now, source_id: row.id })
  }
  emit(`settlement.${how}`, row)
}
