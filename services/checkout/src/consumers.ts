import type { Message } from '@cobro/contracts'
import type { Emit, Inbox, Tx } from '@cobro/database'
import { dispatch, type EventHandlers } from '@cobro/messaging'
import { copyMerchant } from './merchants/copy-merchant.ts'
import { markPayableRefunded } from './payables/mark-payable-refunded.ts'
import { completeAttempt } from './payment-attempts/complete-attempt.ts'

/** The transaction that a message has its effect in. */
interface Effect {
  tx: Tx
  emit: Emit
  schema: string
}

/** Event → function. */
const eventHandlers: EventHandlers<'checkout', Effect> = {
  'payment_attempt.settled': (outcome, _message, { tx, emit }) => completeAttempt(tx, emit, outcome),
  'payment.refunded': (transaction, _message, { tx }) => markPayableRefunded(tx, transaction),
  'merchant.created': (merchant, _message, { tx, schema }) => copyMerchant(tx, schema, merchant),
  'merchant.updated': (merchant, _message, { tx, schema }) => copyMerchant(tx, schema, merchant),
  // Its last state is a disabled one: kept, so that no older event brings it back.
  'merchant.deleted': (merchant, _message, { tx, schema }) => copyMerchant(tx, schema, merchant),
  'merchant.resynced': (merchant, _message, { tx, schema }) => copyMerchant(tx, schema, merchant),
}

/** Carries events out, each once however often it comes. */
export function eventHandler(inbox: Inbox, schema: string) {
  return async (message: Message): Promise<void> => {
    const work = (tx: Tx, emit: Emit) => dispatch(eventHandlers, message, { tx, emit, schema })
    await inbox.once(message.id, async (tx, emit) => void (await work(tx, emit)))
  }
}
