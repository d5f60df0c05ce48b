import { type Message, message as messageSchema } from '@cobro/contracts'

/** Parses a message's content. Returns undefined if it is not a valid message. */
export function parseMessage(content: Buffer): Message | undefined {
  try {
    return messageSchema.parse(JSON.parse(content.toString('utf8')))
  } catch {
    return undefined
  }
}
