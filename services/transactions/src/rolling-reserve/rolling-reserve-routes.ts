import { ApiError, rollingReserves } from '@cobro/contracts'
import { type Database, tenantRows, violatesConstraint } from '@cobro/database'
import { crud, type Route } from '@cobro/http'
import { withHeldAmount, withHeldAmounts } from './held-amounts.ts'
import { RollingReserveEntity } from './rolling-reserve-entity.ts'

const events = {
  created: 'rolling_reserve.created',
  updated: 'rolling_reserve.updated',
  deleted: 'rolling_reserve.deleted',
} as const

export function rollingReserveRoutes({ db }: { db: Database }): Route[] {
  const rows = tenantRows(db, { resource: rollingReserves, entity: RollingReserveEntity, events, mapError })
  return Object.values(
    crud(rollingReserves, {
      ...rows,
      list: async (caller, query) => {
        const page = await rows.list(caller, query)
        return { ...page, data: await withHeldAmounts(db, page.data) }
      },
      get: async (caller, id) => withHeldAmount(db, await rows.get(caller, id)),
      create: async (caller, input) => withHeldAmount(db, await rows.create(caller, input)),
      update: async (caller, id, input) => withHeldAmount(db, await rows.update(caller, id, input)),
    }),
  )
}

function mapError(error: unknown): ApiError | undefined {
  return violatesConstraint(error, 'rolling_reserves_active')
    ? new ApiError('conflict', 'active: another rolling reserve of this currency is active')
    : undefined
}
