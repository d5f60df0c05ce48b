import { type Message, message as messageSchema } from '@cobro/contracts'

/** The message that bytes off the broker are; undefined where they are none. */
export function parseMessage(content: Buffer): Message | undefined {
  try {
    return messageSchema.parse(JSON.parse(content.toString('utf8')))
  } catch {
    return undefined
  }
}
