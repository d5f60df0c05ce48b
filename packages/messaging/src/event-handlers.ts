import {
  type CommandName,
  commands,
  type EventName,
  events,
  type Message,
  type ReplyName,
  replies,
} from '@cobro/contracts'
import type { z } from 'zod'

const declarations = { ...events, ...commands, ...replies }
type MessageName = EventName | CommandName | ReplyName
type MessageData<N extends MessageName> = z.output<(typeof declarations)[N]['data']>

const schemas: { readonly [N in MessageName]: { readonly data: z.ZodType<MessageData<N>> } } = declarations

/** A function for each message that is named. */
type HandlersOf<N extends MessageName, Context> = {
  readonly [M in N]: (data: MessageData<M>, message: Message, context: Context) => Promise<unknown>
}

type Consumer = 'gateway' | 'checkout' | 'transactions'
type ConsumedEvents<S extends Consumer> = {
  [N in EventName]: S extends (typeof events)[N]['consumers'][number] ? N : never
}[EventName]

/** A function for each event that the service consumes: one too few does not compile. */
export type EventHandlers<S extends Consumer, Context> = HandlersOf<ConsumedEvents<S>, Context>

/** A function for each command that the service carries out. */
export type CommandHandlers<Context> = HandlersOf<CommandName, Context>

/** A function for each reply to a payment command: the event of its outcome, or that it is pending. */
export type ReplyHandlers<Context> = HandlersOf<'payment_attempt.settled' | 'payment_attempt.pending', Context>

/**
 * Calls the handler of a message with its data, without unknown fields. Returns false for a message
 * without a handler, which is acknowledged and ignored. A handler of an undeclared message does not compile.
 */
export async function dispatch<Context, H extends Partial<HandlersOf<MessageName, Context>>>(
  handlers: H & Record<Exclude<keyof H, MessageName>, never>,
  message: Message,
  context: Context,
): Promise<boolean> {
  const { name } = message
  if (!isDeclared(name)) return false
  const handle = handlerOf<Context, MessageName>(handlers, name)
  await handle?.(message, context)
  return handle !== undefined
}

/** A name comes from outside: `constructor` is no handler. */
function isDeclared(name: string): name is MessageName {
  return Object.hasOwn(declarations, name)
}

function handlerOf<Context, N extends MessageName>(handlers: Partial<HandlersOf<N, Context>>, name: N) {
  const handler = handlers[name]
  const { data } = schemas[name]
  return handler && ((message: Message, context: Context) => handler(data.parse(message.data), message, context))
}
