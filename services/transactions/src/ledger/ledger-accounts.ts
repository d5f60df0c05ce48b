/** The accounts that each merchant has in each currency. What stands on them is credits less debits. */
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

/** Why something was posted. */
export type LedgerEvent =
  | 'capture'
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

/** From which accounts to which each event may move money. */
export const sidesOf: Record<LedgerEvent, readonly (readonly [from: readonly Account[], to: readonly Account[]])[]> = {
  // A fee above the amount leaves the merchant in debt.
  capture: [
    [['receivable_acquirer'], ['fee_revenue', 'merchant_reserve', 'merchant_pending']],
    [['merchant_pending'], ['receivable_acquirer']],
  ],
  // What was given back before it matured leaves less than nothing to mature.
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
 * One amount that goes from one account to another of the same merchant and currency. An entry is both sides at once and its
 * amount above zero, so that debits equal credits whatever is posted.
 */
export interface Posting {
  event: LedgerEvent
  debit: Account
  credit: Account
  amount: bigint
}

/** What stands on each account after some postings. */
export function balancesOf(postings: Iterable<Omit<Posting, 'event'>>): Balances {
  const balances = Object.fromEntries(accounts.map(account => [account, 0n])) as Balances
  for (const { debit, credit, amount } of postings) {
    balances[debit] -= amount
    balances[credit] += amount
  }
  return balances
}
