import type { Posting } from '../ledger/ledger-accounts.ts'

/** What a settlement says about the entries that it collects. */
export interface SettlementFigures {
  gross: bigint
  fee: bigint
  refund: bigint
  chargeback: bigint
  reserve_held: bigint
  reserve_released: bigint
  net: bigint
}

/**
 * Adds up entries. Each counts towards `net` as what it changed on `merchant_pending` and `merchant_available` together, so that
 * a settlement which collects transactions with nothing left pending pays out exactly what they left available.
 */
export function settlementFigures(entries: Iterable<Posting>): SettlementFigures {
  const sums = { gross: 0n, fee: 0n, refund: 0n, chargeback: 0n, reserve_held: 0n, reserve_released: 0n }
  for (const { event, debit, credit, amount } of entries) {
    const on = (account: string) => (credit === account ? amount : debit === account ? -amount : 0n)
    const intoReserve = on('merchant_reserve')
    if (event === 'capture' || event === 'deletion') {
      sums.gross -= on('receivable_acquirer')
      sums.fee += on('fee_revenue')
      sums.reserve_held += intoReserve
    } else {
      if (event === 'refund') sums.refund += on('receivable_acquirer')
      if (event === 'dispute_opened' || event === 'dispute_won') sums.chargeback += on('merchant_disputed')
      sums.reserve_released -= intoReserve
    }
  }
  const { gross, fee, refund, chargeback, reserve_held, reserve_released } = sums
  return { ...sums, net: gross - fee - refund - chargeback - reserve_held + reserve_released }
}
