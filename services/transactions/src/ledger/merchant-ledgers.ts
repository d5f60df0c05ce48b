import type { Id } from '@cobro/contracts'
import type { Database, Tx } from '@cobro/database'

/** A merchant's accounts in one currency. */
export interface MerchantLedger {
  merchant_id: Id<'mrc'>
  currency: string
}

/** Work on a whole ledger, in the caller's transaction. */
export interface LedgerWork {
  tx: Tx
  ledger: MerchantLedger
}

/**
 * Takes an advisory lock on a ledger until the transaction ends. Code that updates many positions
 * of one ledger takes it first; without it two such transactions could lock the same positions in different orders and
 * deadlock. Posting for a single transaction does not need it and is not blocked by it.
 */
export async function lockMerchantLedger({ tx, ledger }: LedgerWork): Promise<void> {
  await tx.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [
    `ledger:${ledger.merchant_id}:${ledger.currency}`,
  ])
}

/** Lists every ledger with a capture, by a loose index scan: one index lookup per ledger. */
export function listMerchantLedgers({ read }: Database): Promise<MerchantLedger[]> {
  return read(em =>
    em.execute<MerchantLedger[]>(
      `with recursive ledger as (
         (select merchant_id, currency from transactions.ledger_positions order by merchant_id, currency limit 1)
         union all
         select next.merchant_id, next.currency from ledger, lateral (
           select merchant_id, currency from transactions.ledger_positions
           where (merchant_id, currency) > (ledger.merchant_id, ledger.currency)
           order by merchant_id, currency limit 1) as next)
       select merchant_id, currency from ledger`,
    ),
  )
}
