import {
  type CommandData,
  type CommandName,
  commands,
  type EventData,
  type EventName,
  events,
  type Message,
} from '@cobro/contracts'
import { z } from 'zod'

type Consumer = 'checkout' | 'transactions'
type ConsumedEvents<S extends Consumer> = {
  [N in EventName]: S extends (typeof events)[N]['consumers'][number] ? N : never
}[EventName]

/** A function for each event that the service consumes: one too few does not compile. */
export type EventHandlers<S extends Consumer, Context> = {
  [N in ConsumedEvents<S>]: (data: EventData<N>, message: Message, context: Context) => Promise<void>
}

/** A function for each command that the service carries out. */
export type CommandHandlers<Context> = {
  [N in CommandName]: (data: CommandData<N>, message: Message, context: Context) => Promise<void>
}

type Handler<Context> = (data: unknown, message: Message, context: Context) => Promise<void>

const declarations = new Map<string, { data: z.ZodType }>([...Object.entries(events), ...Object.entries(commands)])

/**
 * Calls the handler of a message with its data, loosely parsed: unknown fields fall away. Gives false for a name that this
 * release does not know, which is acknowledged and left alone.
 */
export async function dispatch<Context>(handlers: object, message: Message, context: Context): Promise<boolean> {
  const { name, data } = message
  // A name comes from outside: `constructor` is no handler.
  const handler = Object.hasOwn(handlers, name) ? (handlers as Record<string, Handler<Context>>)[name] : undefined
  const declared = declarations.get(name)
  if (!handler || !declared) return false
  await handler(z.decode(declared.data, data as never), message, context)
  return true
}
