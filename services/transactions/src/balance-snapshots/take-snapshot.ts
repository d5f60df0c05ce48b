import { newId } from '@cobro/contracts'
import { type Emit, newRow, type Tx } from '@cobro/database'
import { exactCents } from '../ledger/exact-cents.ts'
import type { Book } from '../ledger/ledger-books.ts'
import { balanceSql } from '../ledger/ledger-faults.ts'
import { BalanceSnapshotEntity } from './balance-snapshot-entity.ts'

interface Snapshot {
  tx: Tx
  emit: Emit
  schema: string
  book: Book
  /** The day whose end is meant; left out: now. */
  day?: string
  note?: string | null
}

/** Notes what a merchant has, by its entries up to the end of a day or up to now. */
export async function takeSnapshot({ tx, emit, schema, book, day, note = null }: Snapshot) {
  const sums = await tx.execute<Record<'available' | 'pending' | 'reserved' | 'disputed', string>[]>(
    `select ${balanceSql('merchant_available')} as available, ${balanceSql('merchant_pending')} as pending,
       ${balanceSql('merchant_reserve')} as reserved, ${balanceSql('merchant_disputed')} as disputed
     from ${schema}.ledger_entries entry where merchant_id = ? and currency = ? and day <= ?`,
    [book.merchant_id, book.currency, day ?? 'infinity'],
  )
  const { available = '0', pending = '0', reserved = '0', disputed = '0' } = sums[0] ?? {}
  const row = newRow(tx, BalanceSnapshotEntity, {
    ...{ id: newId('bal'), ...book, note, day: day ?? null },
    as_of: day ? new Date(`${day}T23:59:59.999Z`) : new Date(),
    available_cents: exactCents(BigInt(available)),
    pending_cents: exactCents(BigInt(pending)),
    reserved_cents: exactCents(BigInt(reserved)),
    disputed_cents: exactCents(BigInt(disputed)),
  })
  emit('balance_snapshot.created', row as never)
  return row
}
