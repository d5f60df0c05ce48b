import type { Posting } from '../ledger/ledger-accounts.ts'

/**
 * Adds up a settlement's entries. `net` is their change of merchant_pending and merchant_available.
 * A settlement collects only transactions with nothing left pending, so it pays out exactly what they made available.
 */
export function calculateSettlement(entries: Iterable<Posting>) {
  const sums = { gross: 0n, fee: 0n, refund: 0n, chargeback: 0n, reserve_held: 0n, reserve_released: 0n }
  for (const { event, debit, credit, amount } of entries) {
    const changeOf = (account: string) => (credit === account ? amount : debit === account ? -amount : 0n)
    const intoReserve = changeOf('merchant_reserve')
    sums.fee += changeOf('fee_revenue')
    if (event === 'capture' || event === 'deletion') {
      sums.gross -= changeOf('receivable_acquirer')
      sums.reserve_held += intoReserve
    } else {
      if (event === 'refund') sums.refund += changeOf('receivable_acquirer')
      if (event === 'dispute_opened' || event === 'dispute_won') sums.chargeback += changeOf('merchant_disputed')
      sums.reserve_released -= intoReserve
    }
  }
  const { gross, fee, refund, chargeback, reserve_held, reserve_released } = sums
  return { ...sums, net: gross - fee - refund - chargeback - reserve_held + reserve_released }
}
