import type { Message } from '@cobro/contracts'
import { type CommandHandlers, dispatch, type EventHandlers, type ReplyHandlers } from '../src/event-handlers.ts'

// Handlers that must not compile. Each expectation that is no error any more fails the type check.

declare const message: Message
declare const consumed: EventHandlers<'checkout', undefined>
const handle = async () => {}

export const complete: EventHandlers<'checkout', undefined> = {
  ...consumed,
  'merchant.updated': async ({ version }) => void version.toFixed(),
}

// @ts-expect-error The handlers of the other events that checkout consumes are missing.
export const incomplete: EventHandlers<'checkout', undefined> = { 'merchant.updated': handle }

// @ts-expect-error There is no such event.
export const unknown: EventHandlers<'checkout', undefined> = { ...consumed, 'merchant.renamed': handle }

// @ts-expect-error The handlers of the other commands are missing.
export const commands: CommandHandlers<undefined> = { 'payment.charge': handle }

// @ts-expect-error The handler of the pending reply is missing.
export const replies: ReplyHandlers<undefined> = { 'payment_attempt.settled': handle }

export const dispatched = () => [
  dispatch({ 'merchant.updated': async ({ name }: { name: string }) => void name }, message, undefined),
  dispatch({ 'payment.charge': async ({ deadline }) => void deadline.getTime() }, message, undefined),
  // @ts-expect-error There is no such event.
  dispatch({ 'merchant.renamed': handle }, message, undefined),
  // @ts-expect-error The event has no such field.
  dispatch({ 'merchant.updated': async ({ title }) => void title }, message, undefined),
  // @ts-expect-error The handler expects another type of a field.
  dispatch({ 'merchant.updated': async ({ version }: { version: string }) => void version }, message, undefined),
]
