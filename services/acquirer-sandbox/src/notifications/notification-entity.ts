import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** A notification that is not delivered yet. `body` has the bytes that are signed and sent, the same at every try. */
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
