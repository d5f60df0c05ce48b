import { ApiError, rollingReserves } from '@cobro/contracts'
import { type Database, type Reader, tenantRows, violates } from '@cobro/database'
import { crud, type Route } from '@cobro/http'
import { exactCents } from '../ledger/exact-cents.ts'
import type { Book } from '../ledger/ledger-books.ts'
import { RollingReserveEntity } from './rolling-reserve-entity.ts'

const events = {
  created: 'rolling_reserve.created',
  updated: 'rolling_reserve.updated',
  deleted: 'rolling_reserve.deleted',
} as const

export function rollingReserveRoutes({ db }: { db: Database }): Route[] {
  const rows = tenantRows(db, { resource: rollingReserves, entity: RollingReserveEntity, events, refusal })
  const shown = <R extends Book>(row: R) =>
    db.read(async em => ({ ...row, held_cents: await heldOf(em, db.schema, row) }))
  return Object.values(
    crud(rollingReserves, {
      ...rows,
      list: async (caller, query) => {
        const page = await rows.list(caller, query)
        return { ...page, data: await Promise.all(page.data.map(shown)) }
      },
      get: async (caller, id) => shown(await rows.get(caller, id)),
      create: async (caller, input) => shown(await rows.create(caller, input)),
      update: async (caller, id, input) => shown(await rows.update(caller, id, input)),
    }),
  )
}

async function heldOf(em: Reader, schema: string, { merchant_id, currency }: Book): Promise<number> {
  const [row] = await em.execute<{ held: string }[]>(
    `select coalesce(sum(reserve_cents), 0) as held from ${schema}.ledger_positions
     where merchant_id = ? and currency = ? and reserve_cents <> 0`,
    [merchant_id, currency],
  )
  return exactCents(BigInt(row?.held ?? 0))
}

function refusal(error: unknown): ApiError | undefined {
  return violates(error, 'rolling_reserves_active')
    ? new ApiError('conflict', 'active: another rolling reserve of this currency is active')
    : undefined
}
