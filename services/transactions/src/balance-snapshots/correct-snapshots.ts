import type { BookWork } from '../ledger/ledger-books.ts'

/**
 * A daily snapshot that was made once nothing of its day was still being written: from it on, later ones are added up. One that
 * was made sooner may lack entries of its day.
 */
export const isComplete = "created_at >= (day + interval '1 day 10 minutes') at time zone 'UTC'"

/** What a late entry changed. */
interface Change {
  available: bigint
  pending?: bigint
  reserved?: bigint
}

/**
 * Has the snapshots of a locked book's days follow entries that were posted for one of them after it was noted, as when a day is
 * run again: each says what the entries up to its day come to.
 */
export async function correctSnapshots(
  { tx, schema, book, day }: BookWork & { day: string },
  { available, pending = 0n, reserved = 0n }: Change,
): Promise<void> {
  if (available === 0n && pending === 0n && reserved === 0n) return
  await tx.execute(
    `update ${schema}.balance_snapshots set available_cents = available_cents + ?, pending_cents = pending_cents + ?,
       reserved_cents = reserved_cents + ?, updated_at = now()
     where merchant_id = ? and currency = ? and day >= ?`,
    [`${available}`, `${pending}`, `${reserved}`, book.merchant_id, book.currency, day],
  )
}
