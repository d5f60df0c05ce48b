import { isId, type MerchantAccess, type Message } from '@cobro/contracts'
import type { Tx } from '@cobro/database'
import { dispatch, type EventHandlers } from '@cobro/messaging'
import type { NewMail } from './mail-kinds.ts'
import type { MailOutbox } from './mail-outbox.ts'
import { notifyApprovers } from './notify-approvers.ts'
import { type NotifiedMerchant, notifyMerchant } from './notify-merchant.ts'
import { addReceipt } from './payer-receipts.ts'

/** The transaction in which an event is handled. */
interface NoticeContext {
  tx: Tx
  mails: MailOutbox
}

/** Stores a mail for the users of an event's merchant who have one of the accesses. */
const notify =
  (...accesses: MerchantAccess[]) =>
  async ({ merchant_id }: Message, { tx, mails }: NoticeContext, mailOf: (merchant: NotifiedMerchant) => NewMail) => {
    if (isId('mrc', merchant_id)) await notifyMerchant(mails, tx, { merchant_id, accesses }, mailOf)
  }

const notifyPayouts = notify('owner', 'finance')
const notifyIntegration = notify('owner', 'developer')

/** The events of other services that users or payers get a mail about. */
const notices: EventHandlers<'gateway', NoticeContext> = {
  'payment.approved': (payment, message, context) => addReceipt(context, 'payer_receipt', payment, message),
  'payment.refunded': (payment, message, context) => addReceipt(context, 'payer_refund', payment, message),
  'settlement_config.bank_change_requested': ({ bank_pending }, message, context) =>
    notifyPayouts(message, context, ({ merchant_name }) => {
      const clabe = bank_pending?.bank?.clabe ?? null
      const effective_at = bank_pending?.effective_at.toISOString() ?? null
      return { kind: 'bank_changed', data: { at: message.occurred_at, merchant_name, clabe, effective_at } }
    }),
  'settlement_config.updated': async ({ changes }, message, context) => {
    if (!changes || !Object.hasOwn(changes, 'bank')) return
    const data = { at: message.occurred_at, clabe: null, effective_at: null }
    await notifyPayouts(message, context, ({ merchant_name }) => ({
      kind: 'bank_changed',
      data: { ...data, merchant_name },
    }))
  },
  'webhook_endpoint.disabled': async ({ id, disabled_reason, cancelled_deliveries }, message, context) => {
    // Without a reason a user has disabled it.
    if (!disabled_reason) return
    const cancelled = cancelled_deliveries ?? 0
    const data = { at: message.occurred_at, webhook_id: id, reason: disabled_reason, cancelled }
    await notifyIntegration(message, context, ({ merchant_name }) => ({
      kind: 'endpoint_disabled',
      data: { ...data, merchant_name },
    }))
  },
  'approval.requested': (approval, _message, { tx, mails }) => notifyApprovers(mails, tx, approval),
  'dispute.opened': (dispute, message, context) =>
    notifyPayouts(message, context, merchant => {
      const { id, transaction_id = null, amount_cents = null, currency = null, due_by } = dispute
      const about = { dispute_id: id, transaction_id, amount_cents, currency, due_by: due_by?.toISOString() ?? null }
      const { merchant_name, timezone } = merchant
      return { kind: 'dispute_opened', data: { merchant_name, timezone, ...about } }
    }),
}

/** Stores the mails about an event of another service. */
export function noticeEvent(context: NoticeContext, message: Message): Promise<boolean> {
  return dispatch(notices, message, context)
}
