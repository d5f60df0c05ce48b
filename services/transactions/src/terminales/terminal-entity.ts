import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** A card terminal. It may stand in a branch of the same merchant. */
export const TerminalEntity = defineEntity({
  name: 'Terminal',
  tableName: 'terminales',
  properties: {
    id: p.text().primary(),
    merchant_id: p.text(),
    name: p.text(),
    serial: p.text(),
    model: p.text().nullable(),
    sucursal_id: p.text().nullable(),
    status: p.text().default('active').$type<'active' | 'inactive'>(),
    linked_at: p.datetime(3).nullable(),
    last_seen_at: p.datetime(3).nullable(),
    created_at: p.datetime(3).onCreate(() => new Date()),
    updated_at: p
      .datetime(3)
      .onCreate(() => new Date())
      .onUpdate(() => new Date()),
  },
})

export type TerminalRow = InferEntity<typeof TerminalEntity>
