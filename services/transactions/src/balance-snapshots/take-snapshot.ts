import { newId } from '@cobro/contracts'
import { type Emit, newRow } from '@cobro/database'
import { exactCents } from '../ledger/exact-cents.ts'
import type { BookWork } from '../ledger/ledger-books.ts'
import { balanceSql } from '../ledger/ledger-faults.ts'
import { BalanceSnapshotEntity } from './balance-snapshot-entity.ts'
import { isComplete } from './correct-snapshots.ts'

interface Snapshot extends BookWork {
  emit: Emit
  /** The day whose end is meant; left out: now. */
  day?: string
  note?: string | null
}

const sums = ['available', 'pending', 'reserved', 'disputed'] as const
type Sums = Record<(typeof sums)[number], string>

/** Notes what a merchant has, by its entries up to the end of a day or up to now. The book is locked. */
export async function takeSnapshot({ tx, emit, schema, book, day, note = null }: Snapshot) {
  const until = day ?? 'infinity'
  const noted = await newestBefore({ tx, schema, book }, until)
  const since = await sumBetween({ tx, schema, book }, noted?.day ?? '-infinity', until)
  const cents = (name: keyof Sums) => exactCents(BigInt(noted?.[name] ?? 0) + BigInt(since?.[name] ?? 0))
  const row = newRow(tx, BalanceSnapshotEntity, {
    ...{ id: newId('bal'), ...book, note, day: day ?? null },
    as_of: day ? new Date(`${day}T23:59:59.999Z`) : new Date(),
    available_cents: cents('available'),
    pending_cents: cents('pending'),
    reserved_cents: cents('reserved'),
    disputed_cents: cents('disputed'),
  })
  emit('balance_snapshot.created', row)
  return row
}

async function newestBefore(
  { tx, schema, book }: BookWork,
  day: string,
): Promise<(Sums & { day: string }) | undefined> {
  const [noted] = await tx.execute<(Sums & { day: string })[]>(
    `select day::text, ${sums.map(name => `${name}_cents as ${name}`).join(', ')} from ${schema}.balance_snapshots
     where merchant_id = ? and currency = ? and day < ? and ${isComplete} order by day desc limit 1`,
    [book.merchant_id, book.currency, day],
  )
  return noted
}

/** What the entries after a day, up to the end of another, come to. */
async function sumBetween({ tx, schema, book }: BookWork, after: string, until: string): Promise<Sums | undefined> {
  const [found] = await tx.execute<Sums[]>(
    `select ${balanceSql('merchant_available')} as available, ${balanceSql('merchant_pending')} as pending,
       ${balanceSql('merchant_reserve')} as reserved, ${balanceSql('merchant_disputed')} as disputed
     from ${schema}.ledger_entries entry where merchant_id = ? and currency = ? and day > ? and day <= ?`,
    [book.merchant_id, book.currency, after, until],
  )
  return found
}
