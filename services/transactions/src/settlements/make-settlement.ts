import { newId } from '@cobro/contracts'
import { type Emit, newRow } from '@cobro/database'
import { exactCents } from '../ledger/exact-cents.ts'
import type { BookWork } from '../ledger/ledger-books.ts'
import { settlementMadePostings } from '../ledger/ledger-postings.ts'
import { postEntries } from '../ledger/post-entries.ts'
import { type Collected, collectEntries, freeEntries } from './collect-entries.ts'
import { SettlementEntity, type SettlementRow } from './settlement-entity.ts'

interface Period extends BookWork {
  emit: Emit
  period_start: string
  period_end: string
  /** Below this nothing is paid out yet, and the entries wait for the next period. */
  minimum: bigint
  reference: string | null
  now: Date
}

/**
 * Makes a settlement of a locked book whose due transactions have matured. What is less than the minimum, or below zero, is left
 * for the next one, which nets it: then nothing is made, and the net is told.
 */
export async function makeSettlement(period: Period): Promise<{ made: SettlementRow | undefined; net: bigint }> {
  const { tx, schema, book, now, period_end, minimum } = period
  const id = newId('stl', now.getTime())
  const collected = await collectEntries({ tx, schema, book, settlementId: id, end: period_end })
  const { net } = collected
  if (net <= 0n || net < minimum) {
    await freeEntries({ tx, schema }, id)
    return { made: undefined, net }
  }
  postEntries(tx, book, settlementMadePostings(net), { now, source_id: id })
  const made = insertSettlement(id, collected, period)
  period.emit('settlement.created', made)
  return { made, net }
}

function insertSettlement(id: string, sums: Collected, { tx, book, now, ...period }: Period): SettlementRow {
  const { period_start, period_end, reference } = period
  return newRow(tx, SettlementEntity, {
    ...{ id, ...book, period_start, period_end, reference, status: 'pending' },
    gross_cents: exactCents(sums.gross),
    fee_cents: exactCents(sums.fee),
    refund_cents: exactCents(sums.refund),
    chargeback_cents: exactCents(sums.chargeback),
    reserve_held_cents: exactCents(sums.reserve_held),
    reserve_released_cents: exactCents(sums.reserve_released),
    net_cents: exactCents(sums.net),
    transaction_count: sums.transaction_count,
    created_at: now,
    updated_at: now,
  })
}
