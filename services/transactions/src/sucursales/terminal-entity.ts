import type { RowOf, terminales } from '@cobro/contracts'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

type Terminal = RowOf<typeof terminales>

/** A card terminal, which may be linked to a sucursal of the same merchant. */
export const TerminalEntity = defineEntity({
  name: 'Terminal',
  tableName: 'terminales',
  properties: {
    id: p.text().$type<Terminal['id']>().primary(),
    merchant_id: p.text().$type<Terminal['merchant_id']>(),
    name: p.text(),
    serial: p.text(),
    model: p.text().strictNullable(),
    sucursal_id: p.text().$type<Terminal['sucursal_id']>().strictNullable(),
    status: p.text().$type<Terminal['status']>().default('active'),
    linked_at: p.datetime(3).strictNullable(),
    last_seen_at: p.datetime(3).strictNullable(),
    created_at: p.datetime(3).onCreate(() => new Date()),
    updated_at: p
      .datetime(3)
      .onCreate(() => new Date())
      .onUpdate(() => new Date()),
  },
})

export type TerminalRow = InferEntity<typeof TerminalEntity>
