import type { Message } from '@cobro/contracts'

/** Serialises an event as receivers get it. This is done once: its bytes are kept, signed and sent as they are. */
export function envelopeOf({ id, name, merchant_id, occurred_at, data }: Message): string {
  return JSON.stringify({ id, object: 'event', event: name, merchant_id, created_at: occurred_at, data })
}
