import type { Message } from '@cobro/contracts'
import type { Inbox, Tx } from '@cobro/database'
import { dispatch, type EventHandlers } from '@cobro/messaging'
import { copyMerchant } from './merchants/copy-merchant.ts'
import { markPayableRefunded } from './payables/mark-payable-refunded.ts'
import type { AttemptOutcomes } from './payment-attempts/attempt-outcomes.ts'

interface MessageContext {
  outcomes: AttemptOutcomes
  schema: string
  /** Runs the effect of the message in a transaction, once. */
  once: (effect: (tx: Tx) => Promise<unknown>) => Promise<unknown>
}

/** The handler of each event. */
const eventHandlers: EventHandlers<'checkout', MessageContext> = {
  'payment_attempt.settled': (outcome, { id }, { outcomes }) => outcomes.apply(id, outcome),
  'payment.refunded': (transaction, _message, { once }) => once(tx => markPayableRefunded(tx, transaction)),
  'merchant.created': (merchant, _message, { once, schema }) => once(tx => copyMerchant(tx, schema, merchant)),
  'merchant.updated': (merchant, _message, { once, schema }) => once(tx => copyMerchant(tx, schema, merchant)),
  // Stored as a disabled merchant and not deleted, so that an older event does not restore it.
  'merchant.deleted': (merchant, _message, { once, schema }) => once(tx => copyMerchant(tx, schema, merchant)),
  'merchant.resynced': (merchant, _message, { once, schema }) => once(tx => copyMerchant(tx, schema, merchant)),
}

/** Returns a function that handles each event once, however often it is delivered. */
export function eventHandler(inbox: Inbox, outcomes: AttemptOutcomes, schema: string) {
  return (message: Message) => {
    const context: MessageContext = { outcomes, schema, once: effect => inbox.once(message.id, effect) }
    return dispatch(eventHandlers, message, context)
  }
}
