import type { Message } from '@cobro/contracts'

/** Serializes an event once for all its webhooks: these bytes are stored, signed and sent. */
export function webhookPayload({ id, name, merchant_id, occurred_at, data }: Message): string {
  return JSON.stringify({ id, object: 'event', event: name, merchant_id, created_at: occurred_at, data })
}
