import type { Database } from '@cobro/database'
import { exactCents } from '../money/exact-cents.ts'
import type { RollingReserveRow } from './rolling-reserve-entity.ts'

type ReserveWithHeldAmount = RollingReserveRow & { held_cents: number }

/** Adds the amount that it holds to a rolling reserve. */
export async function withHeldAmount(db: Database, row: RollingReserveRow): Promise<ReserveWithHeldAmount> {
  const heldBy = await heldAmounts(db, [row])
  return { ...row, held_cents: heldBy(row) }
}

/** Does the same for several reserves, with one query. */
export async function withHeldAmounts(db: Database, rows: RollingReserveRow[]): Promise<ReserveWithHeldAmount[]> {
  const heldBy = await heldAmounts(db, rows)
  return rows.map(row => ({ ...row, held_cents: heldBy(row) }))
}

async function heldAmounts({ read }: Database, rows: readonly RollingReserveRow[]) {
  const sums = await read(em =>
    em.execute<{ reserve_id: string; held: string }[]>(
      `select reserve_id, sum(reserve_cents) as held from transactions.ledger_positions
       where reserve_id in (select jsonb_array_elements_text(?::jsonb)) and reserve_cents <> 0 group by reserve_id`,
      [JSON.stringify(rows.map(row => row.id))],
    ),
  )
  const held = new Map(sums.map(sum => [sum.reserve_id, sum.held]))
  return ({ id }: RollingReserveRow) => exactCents(BigInt(held.get(id) ?? 0))
}
