import type { Message } from '@cobro/contracts'

/** Serialises an event as receivers get it. This is done once: the bytes are kept, signed and sent as they are. */
export function envelopeOf({ id, name, merchant_id, occurred_at, data }: Message): Buffer {
  return Buffer.from(JSON.stringify({ id, object: 'event', event: name, merchant_id, created_at: occurred_at, data }))
}
