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
export const ledgerEvents = [
  'capture',
  'matured',
  'hold_released',
  'refund',
  'dispute_opened',
  'dispute_won',
  'dispute_lost',
  'dispute_reopened',
  'settlement_made',
  'settlement_paid',
  'settlement_reversed',
  'deletion',
] as const

export type LedgerEvent = (typeof ledgerEvents)[number]

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
