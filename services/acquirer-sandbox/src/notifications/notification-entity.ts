import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** A notification not yet delivered. Every try signs and sends the same bytes, those of `body`. */
export const NotificationEntity = defineEntity({
  name: 'Notification',
  tableName: 'notifications',
  properties: {
    id: p.string().primary(),
    type: p.string(),
    body: p.blob().$type<Buffer>(),
    tries: p.integer(),
    next_try_at: p.datetime(3),
    created_at: p.datetime(3),
  },
})

export type NotificationRow = InferEntity<typeof NotificationEntity>
