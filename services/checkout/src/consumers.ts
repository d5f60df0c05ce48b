import type { Message } from '@cobro/contracts'
import type { Emit, Inbox, Tx } from '@cobro/database'
import { dispatch, type EventHandlers } from '@cobro/messaging'
import { copyMerchant } from './merchants/copy-merchant.ts'
import { markPayableRefunded } from './payables/mark-payable-refunded.ts'
import { completeAttempt } from './payment-attempts/complete-attempt.ts'
import type { VelocityLimits } from './velocity-rules/velocity-settings.ts'

/** The transaction in which a message is handled. */
interface MessageContext {
  tx: Tx
  emit: Emit
  schema: string
  limits: VelocityLimits
}

/** The handler of each event. */
const eventHandlers: EventHandlers<'checkout', MessageContext> = {
  'payment_attempt.settled': (outcome, _message, { tx, emit, limits }) =>
    completeAttempt(tx, emit, outcome, { limits }),
  'payment.refunded': (transaction, _message, { tx }) => markPayableRefunded(tx, transaction),
  'merchant.created': (merchant, _message, { tx, schema }) => copyMerchant(tx, schema, merchant),
  'merchant.updated': (merchant, _message, { tx, schema }) => copyMerchant(tx, schema, merchant),
  // Stored as a disabled merchant and not deleted, so that an older event does not restore it.
  'merchant.deleted': (merchant, _message, { tx, schema }) => copyMerchant(tx, schema, merchant),
  'merchant.resynced': (merchant, _message, { tx, schema }) => copyMerchant(tx, schema, merchant),
}

/** Returns a function that handles each event once, however often it is delivered. */
export function eventHandler(inbox: Inbox, schema: string, limits: VelocityLimits) {
  return (message: Message) =>
    inbox.once(message.id, (tx, emit) => dispatch(eventHandlers, message, { tx, emit, schema, limits }))
}
