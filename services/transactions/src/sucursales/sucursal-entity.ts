import type { RowOf, sucursales } from '@cobro/contracts'
import { defineEntity, p } from '@mikro-orm/core'

type Sucursal = RowOf<typeof sucursales>

/** A merchant's branch. */
export const SucursalEntity = defineEntity({
  name: 'Sucursal',
  tableName: 'sucursales',
  properties: {
    id: p.text().$type<Sucursal['id']>().primary(),
    merchant_id: p.text().$type<Sucursal['merchant_id']>(),
    name: p.text(),
    address: p.json<Sucursal['address']>().strictNullable(),
    phone: p.text().strictNullable(),
    status: p.text().$type<Sucursal['status']>().default('active'),
    created_at: p.datetime(3).onCreate(() => new Date()),
    updated_at: p
      .datetime(3)
      .onCreate(() => new Date())
      .onUpdate(() => new Date()),
  },
})
