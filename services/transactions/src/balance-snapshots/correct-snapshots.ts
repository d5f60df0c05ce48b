import type { LedgerWork } from '../ledger/merchant-ledgers.ts'

/**
 * SQL condition for a daily snapshot taken after all writes of its day had committed. Later
 * snapshots are added up from such a one; an earlier snapshot may lack entries of its day.
 */
export const isComplete = "created_at >= (day + interval '1 day 10 minutes') at time zone 'UTC'"

/**
 * Corrects the daily snapshots of a locked ledger after entries were posted for a day that already
 * has one, for instance when the day is run again. Each snapshot then again equals the entries up to its day.
 */
export async function correctSnapshots(
  { tx, ledger, day }: LedgerWork & { day: string },
  { available, pending = 0n, reserved = 0n }: { available: bigint; pending?: bigint; reserved?: bigint },
): Promise<void> {
  if (available === 0n && pending === 0n && reserved === 0n) return
  await tx.execute(
    `update transactions.balance_snapshots set available_cents = available_cents + ?, pending_cents = pending_cents + ?,
       reserved_cents = reserved_cents + ?, updated_at = now()
     where merchant_id = ? and currency = ? and day >= ?`,
    [`${available}`, `${pending}`, `${reserved}`, ledger.merchant_id, ledger.currency, day],
  )
}
