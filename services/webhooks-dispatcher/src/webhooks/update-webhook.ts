import { ApiError, type BodyOf, type Caller, type Id, type webhooks } from '@cobro/contracts'
import { getRow } from '@cobro/database'
import { cancelQueuedDeliveries } from '../delivery-queue/cancel-queued-deliveries.ts'
import { interruptClaims } from '../delivery-queue/refresh-endpoint-queues.ts'
import { checkWebhookUrl } from '../ssrf-guard/check-webhook-url.ts'
import type { WebhookDeps } from './create-webhook.ts'
import { EndpointEntity } from './endpoint-entity.ts'

type Input = BodyOf<typeof webhooks.operations.update>

/**
 * Updates an endpoint. A new URL or status resets the count of exhausted deliveries.
 * Queued deliveries go to the new URL, or are cancelled if the endpoint becomes disabled. Enabling it is a conflict until all are.
 */
export async function updateWebhook(deps: WebhookDeps, caller: Caller, id: Id<'whk'>, input: Input) {
  const { url, events, status, description } = input
  // Checks access before DNS, so that other callers learn nothing from our resolver.
  await deps.db.read(em => getRow(em, EndpointEntity, caller, id))
  if (url !== undefined) await checkWebhookUrl(deps, url)
  return deps.db.write(async (tx, emit) => {
    const row = await getRow(tx, EndpointEntity, caller, id, { lock: true })
    if (url !== undefined && url !== row.url) {
      row.url = url
      row.exhausted_in_a_row = 0
    }
    if (events !== undefined) row.events = [...new Set(events)]
    if (description !== undefined) row.description = description
    const changesStatus = status !== undefined && status !== row.status
    if (changesStatus) {
      row.status = status
      row.disabled_reason = null
      row.exhausted_in_a_row = 0
    }
    row.updated_at = new Date()
    await tx.flush()
    if (url !== undefined || status !== undefined) await interruptClaims(tx, id)
    emit('webhook_endpoint.updated', row)
    if (changesStatus || row.status === 'disabled') {
      const { total, rest } = await cancelQueuedDeliveries(tx, emit, id)
      if (row.status === 'active' && rest > 0) throw stillCancelling(total)
      if (changesStatus && row.status === 'disabled') {
        emit('webhook_endpoint.disabled', { id, cancelled_deliveries: total }, { merchant_id: row.merchant_id })
      }
    }
    return row
  })
}

/** Once enabled, the endpoint would receive the events that it was disabled for. */
function stillCancelling(deliveries: number): ApiError {
  return new ApiError('conflict', `${deliveries} deliveries of this webhook are still being cancelled: try again later`)
}
