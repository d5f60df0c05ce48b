import type { EventData, Id } from '@cobro/contracts'
import type { Emit, Tx } from '@cobro/database'
import { deliveryTransitions } from './delivery-states.ts'

interface CancelledRow extends EventData<'webhook.cancelled'> {
  merchant_id: string
  correlation_id: string | null
  /** How many deliveries were cancelled. */
  total: number
}

const { cancelled } = deliveryTransitions.pending

/** The most deliveries to emit events for: a transaction should not store 100,000 messages. */
const maxEmitted = 1_000

/** Cancels an endpoint's queued deliveries, but not those being sent, and returns their number. */
export async function cancelQueuedDeliveries(tx: Tx, emit: Emit, webhookId: Id<'whk'>): Promise<number> {
  const rows = await tx.execute<CancelledRow[]>(cancel, [webhookId, maxEmitted])
  const total = rows[0]?.total ?? 0
  if (total <= maxEmitted) for (const row of rows) for (const name of cancelled.emits) emit(name, row)
  return total
}

const cancel = `
  with queued as (delete from webhooks.jobs where webhook_id = ? and not leased returning delivery_id),
  cancelled as (
    update webhooks.deliveries d set status = '${cancelled.to}', next_attempt_at = null
    from queued where d.id = queued.delivery_id
    returning d.id, d.webhook_id, d.event_id, d.merchant_id, d.correlation_id
  )
  select cancelled.*, (select count(*)::integer from cancelled) as total from cancelled limit ?`
