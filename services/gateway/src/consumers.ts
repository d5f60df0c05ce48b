import type { Message } from '@cobro/contracts'
import type { Inbox } from '@cobro/database'
import { noticeEvent } from './mail/event-notices.ts'
import type { MailOutbox } from './mail/mail-outbox.ts'

/** Returns a function that stores the mails about each event once. Without mail, it ignores them all. */
export function eventHandler({ inbox, mails }: { inbox: Inbox; mails: MailOutbox }) {
  return async (message: Message): Promise<void> => {
    if (mails.enabled) await inbox.once(message.id, tx => noticeEvent({ tx, mails }, message))
  }
}
