import type { BodyOf, Caller, webhooks } from '@cobro/contracts'
import { getRow } from '@cobro/database'
import { checkUrl } from './check-url.ts'
import type { WebhookDeps } from './create-webhook.ts'
import { cancelWaiting } from './disable-endpoint.ts'
import { EndpointEntity, type EndpointRow } from './endpoint-entity.ts'

type Input = BodyOf<typeof webhooks.operations.update>

/**
 * Changes an endpoint; what is waiting goes to the new address. Disabled, its waiting deliveries are cancelled. Made active
 * again, it starts with a clean record.
 */
export async function updateWebhook(deps: WebhookDeps, caller: Caller, id: string, input: Input): Promise<EndpointRow> {
  const { url, events, status, description } = input
  // Before the name is looked up: a stranger is not told what our resolver thinks of it.
  await deps.db.read(em => getRow(em, EndpointEntity, caller, id))
  if (url !== undefined) await checkUrl(deps, url)
  return deps.db.write(async (tx, emit) => {
    const row = await getRow(tx, EndpointEntity, caller, id, { lock: true })
    if (url !== undefined) row.url = url
    if (events !== undefined) row.events = [...new Set(events)]
    if (description !== undefined) row.description = description
    if (status !== undefined && status !== row.status) {
      row.status = status
      row.disabled_reason = null
      row.exhausted_in_a_row = 0
    }
    row.updated_at = new Date()
    await tx.flush()
    if (row.status === 'disabled') await cancelWaiting(tx, id)
    emit('webhook_endpoint.updated', row)
    return row
  })
}
