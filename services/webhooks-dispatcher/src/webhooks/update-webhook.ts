import type { BodyOf, Caller, webhooks } from '@cobro/contracts'
import { getRow } from '@cobro/database'
import { cancelWaiting } from './cancel-waiting.ts'
import { checkUrl } from './check-url.ts'
import type { WebhookDeps } from './create-webhook.ts'
import { EndpointEntity, type EndpointRow } from './endpoint-entity.ts'

type Input = BodyOf<typeof webhooks.operations.update>

/**
 * Changes an endpoint; what is waiting goes to the new address. Disabled, its waiting deliveries are cancelled. Made active
 * again, or moved elsewhere, it starts with a clean record.
 */
export async function updateWebhook(deps: WebhookDeps, caller: Caller, id: string, input: Input): Promise<EndpointRow> {
  const { url, events, status, description } = input
  // Before the name is looked up: a stranger is not told what our resolver thinks of it.
  await deps.db.read(em => getRow(em, EndpointEntity, caller, id))
  if (url !== undefined) await checkUrl(deps, url)
  return deps.db.write(async (tx, emit) => {
    const row = await getRow(tx, EndpointEntity, caller, id, { lock: true })
    if (url !== undefined && url !== row.url) {
      row.url = url
      row.exhausted_in_a_row = 0
    }
    if (events !== undefined) row.events = [...new Set(events)]
    if (description !== undefined) row.description = description
    const isStopped = status === 'disabled' && row.status !== status
    if (status !== undefined && status !== row.status) {
      row.status = status
      row.disabled_reason = null
      row.exhausted_in_a_row = 0
    }
    row.updated_at = new Date()
    await tx.flush()
    emit('webhook_endpoint.updated', row)
    if (row.status === 'disabled') {
      const cancelled_deliveries = await cancelWaiting(tx, emit, id)
      if (isStopped) emit('webhook_endpoint.disabled', { id, cancelled_deliveries }, { merchant_id: row.merchant_id })
    }
    return row
  })
}
