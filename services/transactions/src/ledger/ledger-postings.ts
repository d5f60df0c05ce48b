import { type Account, balancesOf, type LedgerEvent, type Posting } from './ledger-accounts.ts'
import type { LedgerPositionRow } from './ledger-entities.ts'

/**
 * The balances of one transaction, which refunds and disputes may make negative, and when its money
 * became available: from then on refunds and disputes are taken from there.
 */
export type Position = Pick<
  LedgerPositionRow,
  `${'pending' | 'available' | 'reserve' | 'disputed'}_cents` | 'matured_on'
>

export const emptyPosition: Position = {
  ...{ pending_cents: 0n, available_cents: 0n, reserve_cents: 0n, disputed_cents: 0n, matured_on: null },
}

const receivable = 'receivable_acquirer'

/** Skips zero amounts; a negative amount swaps debit and credit. */
function posting(event: LedgerEvent, debit: Account, credit: Account, amount: bigint): Posting[] {
  if (amount === 0n) return []
  return amount > 0n ? [{ event, debit, credit, amount }] : [{ event, debit: credit, credit: debit, amount: -amount }]
}

/** Splits a captured amount into our fee, the held share and the rest, pending until it matures. */
export function capturePostings({ amount, fee, hold }: { amount: bigint; fee: bigint; hold: bigint }): Posting[] {
  return [
    ...posting('capture', receivable, 'fee_revenue', fee),
    ...posting('capture', receivable, 'merchant_reserve', hold),
    ...posting('capture', receivable, 'merchant_pending', amount - fee - hold),
  ]
}

/** The events that move one amount between two fixed accounts. */
const transfers = {
  // The amount is negative when more was refunded than captured after fees.
  matured: ['merchant_pending', 'merchant_available'],
  dispute_lost: ['merchant_disputed', receivable],
  // A lost dispute was won after all, so the acquirer returns the amount.
  dispute_reopened: [receivable, 'merchant_disputed'],
  settlement_made: ['merchant_available', 'payouts'],
  settlement_paid: ['payouts', receivable],
  // The settlement failed or was deleted.
  settlement_reversed: ['payouts', 'merchant_available'],
} as const

/** Moves an amount between the accounts of its event. */
export function transferPostings(event: keyof typeof transfers, amount: bigint): Posting[] {
  const [debit, credit] = transfers[event]
  return posting(event, debit, credit, amount)
}

/** Makes the rest of an expired hold available. */
export function holdReleasedPostings(reserve: bigint): Posting[] {
  return reserve > 0n ? posting('hold_released', 'merchant_reserve', 'merchant_available', reserve) : []
}

/** Gives the fee of a payment back to its merchant. */
export function feeReturnedPostings(position: Position, fee: bigint): Posting[] {
  return posting('fee_returned', 'fee_revenue', spendable(position), fee)
}

export function refundPostings(position: Position, amount: bigint): Posting[] {
  return takeFromMerchant('refund', position, amount, receivable)
}

export function disputeOpenedPostings(position: Position, amount: bigint): Posting[] {
  return takeFromMerchant('dispute_opened', position, amount, 'merchant_disputed')
}

/** Takes from the payment's own hold first, then from available, or from pending until maturity. */
function takeFromMerchant(event: LedgerEvent, position: Position, amount: bigint, credit: Account): Posting[] {
  const held = position.reserve_cents > 0n ? position.reserve_cents : 0n
  const fromHold = held < amount ? held : amount
  return [
    ...posting(event, 'merchant_reserve', credit, fromHold),
    ...posting(event, spendable(position), credit, amount - fromHold),
  ]
}

const spendable = ({ matured_on }: Position) => (matured_on ? 'merchant_available' : 'merchant_pending')

/** Returns a disputed amount to the accounts that it was taken from, minus earlier wins. */
export function disputeWonPostings(openedAndWon: readonly Posting[]): Posting[] {
  const left = balancesOf(openedAndWon)
  const to = ['merchant_reserve', 'merchant_pending', 'merchant_available'] as const
  return to.flatMap(account => posting('dispute_won', 'merchant_disputed', account, -left[account]))
}

/** Reverses every balance that the entries of a deleted manual transaction left, with the fee. */
export function deletionPostings(entries: readonly Posting[]): Posting[] {
  const left = balancesOf(entries)
  const from = ['fee_revenue', 'merchant_reserve', 'merchant_pending', 'merchant_available'] as const
  return from.flatMap(account => posting('deletion', account, receivable, left[account]))
}

/** Returns the position of a transaction after further postings. */
export function positionAfter(position: Position, postings: readonly Posting[]): Position {
  const change = balancesOf(postings)
  return {
    pending_cents: position.pending_cents + change.merchant_pending,
    available_cents: position.available_cents + change.merchant_available,
    reserve_cents: position.reserve_cents + change.merchant_reserve,
    disputed_cents: position.disputed_cents + change.merchant_disputed,
    matured_on: position.matured_on,
  }
}
