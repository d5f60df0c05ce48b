import { randomUUID } from 'node:crypto'
import { type NotificationType, notificationData } from '@cobro/acquirer'
import { newRow, type Tx } from '@cobro/database'
import { z } from 'zod'
import { NotificationEntity } from './notification-entity.ts'

/**
 * Stores a notification in the transaction of the change that it reports, to be sent from `at` on.
 * The body is serialized once, so that every try sends and signs the same bytes.
 */
export function storeNotification<T extends NotificationType>(
  tx: Tx,
  type: T,
  data: z.output<(typeof notificationData)[T]>,
  at: Date,
): void {
  const id = `ntf_${randomUUID()}`
  const notification = {
    id,
    type,
    created_at: at.toISOString(),
    data: z.encode(notificationData[type], data),
  }
  newRow(tx, NotificationEntity, {
    id,
    type,
    body: Buffer.from(JSON.stringify(notification)),
    tries: 0,
    next_try_at: at,
    created_at: new Date(),
  })
}
