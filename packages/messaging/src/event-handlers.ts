import {
  type CommandData,
  type CommandName,
  commands,
  type EventData,
  type EventDeclaration,
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

/**
 * Calls the handler of a message with its data, loosely parsed: unknown fields fall away. Gives false for a name that this
 * release does not know, which is acknowledged and left alone.
 */
export async function dispatch<Context>(handlers: object, message: Message, context: Context): Promise<boolean> {
  const handler = (handlers as Record<string, (data: unknown, message: Message, context: Context) => Promise<void>>)[
    message.name
  ]
  const declared = { ...(events as Record<string, EventDeclaration>), ...commands }[message.name]
  if (!handler || !declared) return false
  await handler(z.decode(declared.data as z.ZodType, message.data as never), message, context)
  return true
}
