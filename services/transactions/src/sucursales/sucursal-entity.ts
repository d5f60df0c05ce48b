import { defineEntity, p } from '@mikro-orm/core'

/** A merchant's branch. */
export const SucursalEntity = defineEntity({
  name: 'Sucursal',
  tableName: 'sucursales',
  properties: {
    id: p.string().primary(),
    merchant_id: p.string(),
    name: p.string(),
    address: p.json<Record<string, string | null>>().nullable(),
    phone: p.string().nullable(),
    status: p.string().default('active'),
    created_at: p.datetime(3).onCreate(() => new Date()),
    updated_at: p
      .datetime(3)
      .onCreate(() => new Date())
      .onUpdate(() => new Date()),
  },
})
