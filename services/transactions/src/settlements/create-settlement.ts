import { type Id, newId } from '@cobro/contracts'
import { type Emit, newRow } from '@cobro/database'
import { transferPostings } from '../ledger/ledger-postings.ts'
import type { LedgerWork } from '../ledger/merchant-ledgers.ts'
import { postEntries } from '../ledger/post-entries.ts'
import { exactCents } from '../money/exact-cents.ts'
import { type CollectedAmounts, collectEntries, releaseEntries } from './collect-entries.ts'
import { SettlementEntity } from './settlement-entity.ts'

interface SettlementTerms extends LedgerWork {
  emit: Emit
  period_start: string
  period_end: string
  /** The smallest net amount that is paid out; below it the entries wait for the next period. */
  minimum: bigint
  reference: string | null
  now: Date
}

/**
 * Creates a settlement of a locked ledger whose due transactions have matured.
 * If the net is zero, negative or below the minimum, it leaves the entries for the next one and returns only the net.
 */
export async function createSettlement(terms: SettlementTerms) {
  const { tx, ledger, now, period_end, minimum } = terms
  const id = newId('stl', now.getTime())
  const collected = await collectEntries(terms, id, period_end)
  const { net } = collected
  if (net <= 0n || net < minimum) {
    await releaseEntries(tx, id)
    return { settlement: undefined, net }
  }
  postEntries(tx, ledger, transferPostings('settlement_made', net), { now, source_id: id })
  const settlement = insertSettlement(id, collected, terms)
  terms.emit('settlement.created', settlement)
  return { settlement, net }
}

function insertSettlement(id: Id<'stl'>, sums: CollectedAmounts, { tx, ledger, now, ...terms }: SettlementTerms) {
  const { period_start, period_end, reference } = terms
  return newRow(tx, SettlementEntity, {
    ...{ id, ...ledger, period_start, period_end, reference, status: 'pending' },
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
