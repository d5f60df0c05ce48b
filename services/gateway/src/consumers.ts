import type { Message } from '@cobro/contracts'
import type { Database, Inbox } from '@cobro/database'
import { cachedLoad } from './cache/cached-load.ts'
import { noticeEvent } from './mail/event-notices.ts'
import type { MailOutbox } from './mail/mail-outbox.ts'

/** As for the records of callers: a merchant's setting applies within a second. */
const settingTtlMs = 900

/**
 * Returns a function that stores the mails about each event once. Without mail, it ignores them all. Those of payments are many
 * and cost no transaction unless the merchant sends receipts.
 */
export function eventHandler({ db, inbox, mails }: { db: Database; inbox: Inbox; mails: MailOutbox }) {
  const sendsReceipts = cachedLoad({
    ttlMs: settingTtlMs,
    load: async (merchant_id: string) => {
      const sending = `select from ${db.schema}.merchants where id = ? and payer_receipts`
      return (await db.execute(sending, [merchant_id])).length > 0
    },
  })
  return async (message: Message): Promise<void> => {
    if (!mails.enabled) return
    if (message.name.startsWith('payment.') && !(await sendsReceipts(String(message.merchant_id)))) return
    await inbox.once(message.id, tx => noticeEvent({ tx, mails }, message))
  }
}
