import type { Tx } from '@cobro/database'

interface Sought {
  type: 'dispute' | 'refund'
  /** The acquirer's reference of the dispute, or the key of the refund. */
  subject: string
  sentAt: Date
  /** What the notification says, by the names of its payload. */
  [field: string]: unknown
}

/** Returns whether a notification is stored that says the same and was sent after `sentAt`. */
export async function hasLaterNotification(tx: Tx, { type, subject, sentAt, ...content }: Sought): Promise<boolean> {
  const later = await tx.execute(
    `select from transactions.acquirer_notices where type = ? and subject = ? and payload @> ?::jsonb
       and (payload ->> 'created_at')::timestamptz > ? limit 1`,
    [type, subject, JSON.stringify(content), sentAt],
  )
  return later.length > 0
}
