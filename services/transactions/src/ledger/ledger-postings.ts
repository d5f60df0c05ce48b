import { type Account, balancesOf, type LedgerEvent, type Posting } from './ledger-accounts.ts'

/** What one transaction has on the accounts of its merchant. Refunds and disputes may take them below zero. */
export interface Position {
  pending: bigint
  available: bigint
  reserve: bigint
  disputed: bigint
  /** Whether its money has become available: from then on what it costs is taken from there. */
  matured: boolean
}

export const emptyPosition: Position = { pending: 0n, available: 0n, reserve: 0n, disputed: 0n, matured: false }

const receivable = 'receivable_acquirer'

/** Nothing is posted for nothing, and less than nothing the other way round. */
function posting(event: LedgerEvent, debit: Account, credit: Account, amount: bigint): Posting[] {
  if (amount === 0n) return []
  return amount > 0n ? [{ event, debit, credit, amount }] : [{ event, debit: credit, credit: debit, amount: -amount }]
}

/** A payment came in: our fee, what is held back, and the rest, which is the merchant's later. */
export function capturePostings({ amount, fee, hold }: { amount: bigint; fee: bigint; hold: bigint }): Posting[] {
  return [
    ...posting('capture', receivable, 'fee_revenue', fee),
    ...posting('capture', receivable, 'merchant_reserve', hold),
    ...posting('capture', receivable, 'merchant_pending', amount - fee - hold),
  ]
}

/** What has waited long enough becomes available. It is below zero where more was given back than came in. */
export function maturedPostings(pending: bigint): Posting[] {
  return posting('matured', 'merchant_pending', 'merchant_available', pending)
}

/** What is left of a hold whose time is over becomes available. */
export function holdReleasedPostings(reserve: bigint): Posting[] {
  return reserve > 0n ? posting('hold_released', 'merchant_reserve', 'merchant_available', reserve) : []
}

export function refundPostings(position: Position, amount: bigint): Posting[] {
  return taken('refund', position, amount, receivable)
}

export function disputeOpenedPostings(position: Position, amount: bigint): Posting[] {
  return taken('dispute_opened', position, amount, 'merchant_disputed')
}

/** What is left of the payment's own hold comes first, the rest from where the payment's money is. */
function taken(event: LedgerEvent, position: Position, amount: bigint, credit: Account): Posting[] {
  const held = position.reserve > 0n ? position.reserve : 0n
  const fromHold = held < amount ? held : amount
  const from = position.matured ? 'merchant_available' : 'merchant_pending'
  return [...posting(event, 'merchant_reserve', credit, fromHold), ...posting(event, from, credit, amount - fromHold)]
}

/** What a dispute took, by its entries of both kinds, goes back to where it was taken from as it was opened. */
export function disputeWonPostings(openedAndWon: readonly Posting[]): Posting[] {
  const left = balancesOf(openedAndWon)
  const to = ['merchant_reserve', 'merchant_pending', 'merchant_available'] as const
  return to.flatMap(account => posting('dispute_won', 'merchant_disputed', account, -left[account]))
}

export function disputeLostPostings(amount: bigint): Posting[] {
  return posting('dispute_lost', 'merchant_disputed', receivable, amount)
}

/** A dispute that was lost is taken up again, because it was won after all. */
export function disputeReopenedPostings(amount: bigint): Posting[] {
  return posting('dispute_reopened', receivable, 'merchant_disputed', amount)
}

export function settlementMadePostings(net: bigint): Posting[] {
  return posting('settlement_made', 'merchant_available', 'payouts', net)
}

export function settlementPaidPostings(net: bigint): Posting[] {
  return posting('settlement_paid', 'payouts', receivable, net)
}

/** A settlement that failed or was deleted. */
export function settlementReversedPostings(net: bigint): Posting[] {
  return posting('settlement_reversed', 'payouts', 'merchant_available', net)
}

/** Undoes a transaction that was entered by hand: what its entries left on the accounts goes, the fee with it. */
export function deletionPostings(entries: readonly Posting[]): Posting[] {
  const left = balancesOf(entries)
  const from = ['fee_revenue', 'merchant_reserve', 'merchant_pending', 'merchant_available'] as const
  return from.flatMap(account => posting('deletion', account, receivable, left[account]))
}

/** The position of a transaction after more was posted for it. */
export function positionAfter(position: Position, postings: readonly Posting[]): Position {
  const change = balancesOf(postings)
  return {
    pending: position.pending + change.merchant_pending,
    available: position.available + change.merchant_available,
    reserve: position.reserve + change.merchant_reserve,
    disputed: position.disputed + change.merchant_disputed,
    matured: position.matured,
  }
}
