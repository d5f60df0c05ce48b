import { defaultDelayDays } from '@cobro/contracts'
import type { Database, Tx } from '@cobro/database'
import { SettlementConfigEntity } from '../settlement-config/settlement-config-entity.ts'

/** A merchant's accounts in one currency. */
export interface Book {
  merchant_id: string
  currency: string
}

/** Work on a whole book, in the caller's transaction. */
export interface BookWork {
  tx: Tx
  schema: string
  book: Book
}

/**
 * Keeps a book for this transaction alone among those who work on many of its positions at once: they would otherwise lock the
 * same ones in different orders. What is posted for a single transaction goes on meanwhile.
 */
export async function lockBook({ tx, book }: Omit<BookWork, 'schema'>): Promise<void> {
  await tx.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [
    `ledger:${book.merchant_id}:${book.currency}`,
  ])
}

/** Every book in which anything was ever captured: one step of the index for each, however many transactions it has. */
export function allBooks({ read, schema }: Database): Promise<Book[]> {
  return read(em =>
    em.execute<Book[]>(
      `with recursive book as (
         (select merchant_id, currency from ${schema}.ledger_positions order by merchant_id, currency limit 1)
         union all
         select next.merchant_id, next.currency from book, lateral (
           select merchant_id, currency from ${schema}.ledger_positions
           where (merchant_id, currency) > (book.merchant_id, book.currency)
           order by merchant_id, currency limit 1) as next)
       select merchant_id, currency from book`,
    ),
  )
}

/** After how many days the captures of a book become available. */
export async function delayDaysOf(tx: Tx, book: Book): Promise<number> {
  const config = await tx.findOne(SettlementConfigEntity, { ...book, active: true })
  return config?.delay_days ?? defaultDelayDays
}
