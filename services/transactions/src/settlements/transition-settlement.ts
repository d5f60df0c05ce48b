import { ApiError } from '@cobro/contracts'
import type { Emit, Tx } from '@cobro/database'
import { transferPostings } from '../ledger/ledger-postings.ts'
import { lockMerchantLedger } from '../ledger/merchant-ledgers.ts'
import { postEntries } from '../ledger/post-entries.ts'
import { releaseEntries } from './collect-entries.ts'
import type { SettlementRow } from './settlement-entity.ts'
import { type SettlementAction, settlementState, settlementTransition } from './settlement-states.ts'

/** Ends a locked, pending settlement. Unless it was paid, another one may collect its entries. */
export async function transitionSettlement(
  { tx, emit, now = new Date() }: { tx: Tx; emit: Emit; now?: Date },
  row: SettlementRow,
  action: SettlementAction,
): Promise<void> {
  const state = settlementState(row)
  const transition = settlementTransition(state, action)
  if (!transition) throw new ApiError('conflict', `the settlement is ${state}`)
  const { merchant_id, currency } = row
  const ledger = { merchant_id, currency }
  const net = BigInt(row.net_cents)
  row.updated_at = now
  if (transition.to === 'deleted') row.deleted_at = now
  else row.status = transition.to
  if (transition.to === 'paid') {
    row.paid_at = now
    postEntries(tx, ledger, transferPostings('settlement_paid', net), { now, source_id: row.id })
  } else {
    await lockMerchantLedger({ tx, ledger })
    await releaseEntries(tx, row.id)
    postEntries(tx, ledger, transferPostings('settlement_reversed', net), { now, source_id: row.id })
  }
  for (const name of transition.emits) emit(name, row)
}
