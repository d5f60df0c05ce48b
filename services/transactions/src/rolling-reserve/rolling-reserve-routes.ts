import { ApiError, rollingReserves } from '@cobro/contracts'
import { type Database, type Reader, tenantRows, violatesConstraint } from '@cobro/database'
import { crud, type Route } from '@cobro/http'
import { exactCents } from '../ledger/exact-cents.ts'
import { RollingReserveEntity, type RollingReserveRow } from './rolling-reserve-entity.ts'

const events = {
  created: 'rolling_reserve.created',
  updated: 'rolling_reserve.updated',
  deleted: 'rolling_reserve.deleted',
} as const

export function rollingReserveRoutes({ db }: { db: Database }): Route[] {
  const rows = tenantRows(db, { resource: rollingReserves, entity: RollingReserveEntity, events, refusal })
  const heldOf = (page: RollingReserveRow[]) => db.read(em => heldBy(em, db.schema, page))
  const one = async (row: RollingReserveRow) => withHeld(await heldOf([row]), row)
  return Object.values(
    crud(rollingReserves, {
      ...rows,
      list: async (caller, query) => {
        const page = await rows.list(caller, query)
        const held = await heldOf(page.data)
        return { ...page, data: page.data.map(row => withHeld(held, row)) }
      },
      get: async (caller, id) => one(await rows.get(caller, id)),
      create: async (caller, input) => one(await rows.create(caller, input)),
      update: async (caller, id, input) => one(await rows.update(caller, id, input)),
    }),
  )
}

function withHeld(held: Map<string, bigint>, row: RollingReserveRow) {
  return { ...row, held_cents: exactCents(held.get(row.id) ?? 0n) }
}

async function heldBy(em: Reader, schema: string, rows: readonly RollingReserveRow[]): Promise<Map<string, bigint>> {
  const sums = await em.execute<{ reserve_id: string; held: string }[]>(
    `select reserve_id, sum(reserve_cents) as held from ${schema}.ledger_positions
     where reserve_id in (select jsonb_array_elements_text(?::jsonb)) and reserve_cents <> 0 group by reserve_id`,
    [JSON.stringify(rows.map(row => row.id))],
  )
  return new Map(sums.map(({ reserve_id, held }) => [reserve_id, BigInt(held)]))
}

function refusal(error: unknown): ApiError | undefined {
  return violatesConstraint(error, 'rolling_reserves_active')
    ? new ApiError('conflict', 'active: another rolling reserve of this currency is active')
    : undefined
}
