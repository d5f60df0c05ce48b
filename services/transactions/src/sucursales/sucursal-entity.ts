import { defineEntity, p } from '@mikro-orm/core'

/** A merchant's branch. */
export const SucursalEntity = defineEntity({
  name: 'Sucursal',
  tableName: 'sucursales',
  properties: {
    id: p.text().primary(),
    merchant_id: p.text(),
    name: p.text(),
    address: p.json<Record<string, string | null>>().nullable(),
    phone: p.text().nullable(),
    status: p.text().default('active'),
    created_at: p.datetime(3).onCreate(() => new Date()),
    updated_at: p
      .datetime(3)
      .onCreate(() => new Date())
      .onUpdate(() => new Date()),
  },
})
