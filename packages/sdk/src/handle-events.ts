import type { CheckoutSession, PaymentLink, Transaction, WebhookEvent } from './generated/types.ts'

type EventName = WebhookEvent['event']
type EventOf<Name extends EventName> = Extract<WebhookEvent, { event: Name }>

/** A handler for each event that matters to a receiver, by the event's name. */
export type EventHandlers = {
  readonly [Name in EventName]?: (data: EventOf<Name>['data'], event: EventOf<Name>) => unknown
}

/**
 * Returns a function that passes an event to its handler and waits for it. Ignores events without a handler, also those that
 * a later version of Cobro sends.
 */
export function handleEvents(handlers: EventHandlers): (event: WebhookEvent) => Promise<void> {
  return async event => {
    // An event is no method of every object, whatever its name.
    if (event.event in Object.prototype) return
    // The name picks the handler for exactly this kind of event.
    const handle = handlers[event.event] as ((data: unknown, event: WebhookEvent) => unknown) | undefined
    await handle?.(event.data, event)
  }
}

/** An object that an event may be about. */
interface Identified {
  id: string
}

/** Whether the data of an event is a transaction. */
export function isTransaction(data: Identified): data is Transaction {
  return data.id.startsWith('txn_')
}

/** Whether the data of an event is a checkout session. */
export function isCheckoutSession(data: Identified): data is CheckoutSession {
  return data.id.startsWith('cs_')
}

/** Whether the data of an event is a payment link. */
export function isPaymentLink(data: Identified): data is PaymentLink {
  return data.id.startsWith('pl_')
}
