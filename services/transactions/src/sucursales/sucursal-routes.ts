import { sucursales } from '@cobro/contracts'
import { type Database, tenantRows } from '@cobro/database'
import { crud, type Route } from '@cobro/http'
import { rejectLinkedSucursal } from './link-terminal.ts'
import { SucursalEntity } from './sucursal-entity.ts'

const events = { created: 'sucursal.created', updated: 'sucursal.updated', deleted: 'sucursal.deleted' } as const

export function sucursalRoutes({ db }: { db: Database }): Route[] {
  const options = { resource: sucursales, entity: SucursalEntity, events, beforeDelete: rejectLinkedSucursal }
  return Object.values(crud(sucursales, tenantRows(db, options)))
}
