import { randomUUID } from 'node:crypto'
import type { ChargeRequest, DisputeState } from '@cobro/acquirer'
import { newRow, type Tx } from '@cobro/database'
import { storeNotification } from '../notifications/store-notification.ts'
import { AcquirerDisputeEntity, type AcquirerDisputeRow } from './acquirer-dispute-entity.ts'

/** How long evidence may be submitted. */
const evidenceMs = 7 * 86_400_000

/** Stores a dispute that opens at `opened_at`, with its notification. */
export function scheduleDispute(tx: Tx, charge: ChargeRequest, opened_at: Date): void {
  const dispute = newRow(tx, AcquirerDisputeEntity, {
    reference: randomUUID(),
    charge_key: charge.key,
    amount_cents: charge.amount_cents,
    currency: charge.currency,
    status: 'open',
    due_by: new Date(opened_at.getTime() + evidenceMs),
    opened_at,
    resolved_at: null,
  })
  storeNotification(tx, 'dispute.opened', { ...disputeState(dispute), status: 'open' }, opened_at)
}

/** Returns a dispute as the API sends it. Sandbox disputes all have the reason `fraudulent`. */
export function disputeState(dispute: AcquirerDisputeRow): DisputeState {
  return { ...dispute, reason: 'fraudulent', network_reason_code: '10.4' }
}
