import { type Account, balancesOf, type LedgerEvent, type Posting } from './ledger-accounts.ts'

/** The balances of one transaction. Refunds and disputes may make them negative. */
export interface Position {
  pending: bigint
  available: bigint
  reserve: bigint
  disputed: bigint
  /** Whether its money has become available: from then on refunds and disputes are taken from there. */
  matured: boolean
}

export const emptyPosition: Position = { pending: 0n, available: 0n, reserve: 0n, disputed: 0n, matured: false }

const receivable = 'receivable_acquirer'

/** Skips zero amounts; a negative amount swaps debit and credit. */
function posting(event: LedgerEvent, debit: Account, credit: Account, amount: bigint): Posting[] {
  if (amount === 0n) return []
  return amount > 0n ? [{ event, debit, credit, amount }] : [{ event, debit: credit, credit: debit, amount: -amount }]
}

/** Splits a captured amount into our fee, the held share and the rest, which is pending until it matures. */
export function capturePostings({ amount, fee, hold }: { amount: bigint; fee: bigint; hold: bigint }): Posting[] {
  return [
    ...posting('capture', receivable, 'fee_revenue', fee),
    ...posting('capture', receivable, 'merchant_reserve', hold),
    ...posting('capture', receivable, 'merchant_pending', amount - fee - hold),
  ]
}

/** Makes a pending balance available. It is negative when more was refunded than captured after fees. */
export function maturedPostings(pending: bigint): Posting[] {
  return posting('matured', 'merchant_pending', 'merchant_available', pending)
}

/** Makes the rest of an expired hold available. */
export function holdReleasedPostings(reserve: bigint): Posting[] {
  return reserve > 0n ? posting('hold_released', 'merchant_reserve', 'merchant_available', reserve) : []
}

export function refundPostings(position: Position, amount: bigint): Posting[] {
  return takeFromMerchant('refund', position, amount, receivable)
}

export function disputeOpenedPostings(position: Position, amount: bigint): Posting[] {
  return takeFromMerchant('dispute_opened', position, amount, 'merchant_disputed')
}

/** Takes the rest of the payment's own hold first, then the available balance, or the pending one before it matured. */
function takeFromMerchant(event: LedgerEvent, position: Position, amount: bigint, credit: Account): Posting[] {
  const held = position.reserve > 0n ? position.reserve : 0n
  const fromHold = held < amount ? held : amount
  const from = position.matured ? 'merchant_available' : 'merchant_pending'
  return [...posting(event, 'merchant_reserve', credit, fromHold), ...posting(event, from, credit, amount - fromHold)]
}

/** Returns the disputed amount to the accounts that it was taken from, given the entries of its opening and of earlier wins. */
export function disputeWonPostings(openedAndWon: readonly Posting[]): Posting[] {
  const left = balancesOf(openedAndWon)
  const to = ['merchant_reserve', 'merchant_pending', 'merchant_available'] as const
  return to.flatMap(account => posting('dispute_won', 'merchant_disputed', account, -left[account]))
}

export function disputeLostPostings(amount: bigint): Posting[] {
  return posting('dispute_lost', 'merchant_disputed', receivable, amount)
}

/** Takes a lost dispute's amount back from the acquirer, because the dispute was won after all. */
export function disputeReopenedPostings(amount: bigint): Posting[] {
  return posting('dispute_reopened', receivable, 'merchant_disputed', amount)
}

export function settlementMadePostings(net: bigint): Posting[] {
  return posting('settlement_made', 'merchant_available', 'payouts', net)
}

export function settlementPaidPostings(net: bigint): Posting[] {
  return posting('settlement_paid', 'payouts', receivable, net)
}

/** Returns the amount of a settlement that failed or was deleted. */
export function settlementReversedPostings(net: bigint): Posting[] {
  return posting('settlement_reversed', 'payouts', 'merchant_available', net)
}

/** Reverses every balance that the entries of a deleted manual transaction left, including the fee. */
export function deletionPostings(entries: readonly Posting[]): Posting[] {
  const left = balancesOf(entries)
  const from = ['fee_revenue', 'merchant_reserve', 'merchant_pending', 'merchant_available'] as const
  return from.flatMap(account => posting('deletion', account, receivable, left[account]))
}

/** Returns the position of a transaction after further postings. */
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
