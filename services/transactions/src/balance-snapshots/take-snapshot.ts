import { type BodyOf, type balanceSnapshots, type Caller, newId } from '@cobro/contracts'
import { balanceSql } from '@cobro/contracts/sql'
import { type Database, type Emit, merchantOf, newRow } from '@cobro/database'
import { type LedgerWork, lockMerchantLedger } from '../ledger/merchant-ledgers.ts'
import { exactCents } from '../money/exact-cents.ts'
import { BalanceSnapshotEntity } from './balance-snapshot-entity.ts'
import { isComplete } from './correct-snapshots.ts'

interface SnapshotTerms extends LedgerWork {
  emit: Emit
  /** The day whose end the snapshot shows; now when left out. */
  day?: string
  note?: string | null
}

const balances = ['available', 'pending', 'reserved', 'disputed'] as const
type Balances = Record<(typeof balances)[number], string>

/** Takes a snapshot of the caller's current balances in a currency. */
export function takeSnapshotNow(
  db: Database,
  caller: Caller,
  { currency, note }: BodyOf<typeof balanceSnapshots.operations.create>,
) {
  const ledger = { merchant_id: merchantOf(caller), currency }
  return db.write(async (tx, emit) => {
    await lockMerchantLedger({ tx, ledger })
    return takeSnapshot({ tx, emit, ledger, note })
  })
}

/** Stores the balances of a locked ledger by its entries up to the end of a day or up to now. */
export async function takeSnapshot({ tx, emit, ledger, day, note = null }: SnapshotTerms) {
  const until = day ?? 'infinity'
  const previous = await newestBefore({ tx, ledger }, until)
  const since = await sumBetween({ tx, ledger }, previous?.day ?? '-infinity', until)
  const cents = (name: keyof Balances) => exactCents(BigInt(previous?.[name] ?? 0) + BigInt(since?.[name] ?? 0))
  const row = newRow(tx, BalanceSnapshotEntity, {
    ...{ id: newId('bal'), ...ledger, note, day: day ?? null },
    as_of: day ? new Date(`${day}T23:59:59.999Z`) : new Date(),
    available_cents: cents('available'),
    pending_cents: cents('pending'),
    reserved_cents: cents('reserved'),
    disputed_cents: cents('disputed'),
  })
  emit('balance_snapshot.created', row)
  return row
}

/** Finds the newest complete daily snapshot before a day. */
async function newestBefore({ tx, ledger }: LedgerWork, day: string) {
  const [snapshot] = await tx.execute<(Balances & { day: string })[]>(
    `select day::text, ${balances.map(name => `${name}_cents as ${name}`).join(', ')} from transactions.balance_snapshots
     where merchant_id = ? and currency = ? and day < ? and ${isComplete} order by day desc limit 1`,
    [ledger.merchant_id, ledger.currency, day],
  )
  return snapshot
}

/** Sums the entries after a day and up to the end of another. */
async function sumBetween({ tx, ledger }: LedgerWork, after: string, until: string) {
  const [sums] = await tx.execute<Balances[]>(
    `select ${balanceSql('merchant_available')} as available, ${balanceSql('merchant_pending')} as pending,
       ${balanceSql('merchant_reserve')} as reserved, ${balanceSql('merchant_disputed')} as disputed
     from transactions.ledger_entries entry where merchant_id = ? and currency = ? and day > ? and day <= ?`,
    [ledger.merchant_id, ledger.currency, after, until],
  )
  return sums
}
