import type { Emit, Tx } from '@cobro/database'
import type { EventHandlers } from '@cobro/messaging'
import { copyMerchant } from './merchants/copy-merchant.ts'
import { noteRefund } from './payables/note-refund.ts'
import { settleAttempt } from './payment-attempts/settle-attempt.ts'

/** The transaction that a message has its effect in. */
export interface Effect {
  tx: Tx
  emit: Emit
  schema: string
}

/** Event → function. */
export const eventHandlers: EventHandlers<'checkout', Effect> = {
  'payment_attempt.settled': (outcome, _message, { tx, emit }) => settleAttempt(tx, emit, outcome),
  'payment.refunded': (transaction, _message, { tx }) => noteRefund(tx, transaction),
  'merchant.created': (merchant, _message, { tx, schema }) => copyMerchant(tx, schema, merchant),
  'merchant.updated': (merchant, _message, { tx, schema }) => copyMerchant(tx, schema, merchant),
  // Its last state is a disabled one: kept, so that no older event brings it back.
  'merchant.deleted': (merchant, _message, { tx, schema }) => copyMerchant(tx, schema, merchant),
  'merchant.resynced': (merchant, _message, { tx, schema }) => copyMerchant(tx, schema, merchant),
}
