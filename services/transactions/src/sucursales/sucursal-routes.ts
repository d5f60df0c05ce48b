import { ApiError, sucursales } from '@cobro/contracts'
import { type Database, tenantRows } from '@cobro/database'
import { crud, type Route } from '@cobro/http'
import { TerminalEntity } from '../terminales/terminal-entity.ts'
import { SucursalEntity } from './sucursal-entity.ts'

const events = { created: 'sucursal.created', updated: 'sucursal.updated', deleted: 'sucursal.deleted' } as const

export function sucursalRoutes({ db }: { db: Database }): Route[] {
  const rows = tenantRows(db, {
    resource: sucursales,
    entity: SucursalEntity,
    events,
    beforeDelete: async (tx, branch) => {
      const terminals = await tx.count(TerminalEntity, { sucursal_id: branch.id })
      if (terminals > 0) throw new ApiError('conflict', `${terminals} terminal(s) are linked to this sucursal`)
    },
  })
  return Object.values(crud(sucursales, rows))
}
