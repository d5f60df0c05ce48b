/** The accounts that each merchant has in each currency. A balance is credits minus debits. */
export const accounts = [
  'receivable_acquirer',
  'merchant_pending',
  'merchant_available',
  'merchant_reserve',
  'merchant_disputed',
  'fee_revenue',
  'payouts',
] as const

export type Account = (typeof accounts)[number]
export type Balances = Record<Account, bigint>

/** Why an entry was posted. */
export type LedgerEvent =
  | 'capture'
  | 'fee_returned'
  | 'matured'
  | 'hold_released'
  | 'refund'
  | 'dispute_opened'
  | 'dispute_won'
  | 'dispute_lost'
  | 'dispute_reopened'
  | 'settlement_made'
  | 'settlement_paid'
  | 'settlement_reversed'
  | 'deletion'

const funds = ['merchant_reserve', 'merchant_available', 'merchant_pending'] as const

/** Which accounts each event may debit and credit. */
export const sidesOf: Record<LedgerEvent, readonly (readonly [from: readonly Account[], to: readonly Account[]])[]> = {
  // A fee larger than the amount makes the merchant's balance negative.
  capture: [
    [['receivable_acquirer'], ['fee_revenue', 'merchant_reserve', 'merchant_pending']],
    [['merchant_pending'], ['receivable_acquirer']],
  ],
  // The fee of a payment that is refunded as a duplicate.
  fee_returned: [[['fee_revenue'], ['merchant_pending', 'merchant_available']]],
  // A payment refunded before it matured has a negative pending balance, which matures the other way round.
  matured: [
    [['merchant_pending'], ['merchant_available']],
    [['merchant_available'], ['merchant_pending']],
  ],
  hold_released: [[['merchant_reserve'], ['merchant_available']]],
  refund: [[funds, ['receivable_acquirer']]],
  dispute_opened: [[funds, ['merchant_disputed']]],
  dispute_won: [[['merchant_disputed'], funds]],
  dispute_lost: [[['merchant_disputed'], ['receivable_acquirer']]],
  dispute_reopened: [[['receivable_acquirer'], ['merchant_disputed']]],
  settlement_made: [[['merchant_available'], ['payouts']]],
  settlement_paid: [[['payouts'], ['receivable_acquirer']]],
  settlement_reversed: [[['payouts'], ['merchant_available']]],
  deletion: [
    [['fee_revenue', ...funds], ['receivable_acquirer']],
    [['receivable_acquirer'], ['merchant_pending', 'merchant_available']],
  ],
}

/**
 * An amount above zero, debited from one account and credited to another of the same merchant and
 * currency. One entry holds both sides, so debits always equal credits.
 */
export interface Posting {
  event: LedgerEvent
  debit: Account
  credit: Account
  amount: bigint
}

/** Returns the balance of each account after some postings. */
export function balancesOf(postings: Iterable<Omit<Posting, 'event'>>): Balances {
  const balances = Object.fromEntries(accounts.map(account => [account, 0n])) as Balances
  for (const { debit, credit, amount } of postings) {
    balances[debit] -= amount
    balances[credit] += amount
  }
  return balances
}
