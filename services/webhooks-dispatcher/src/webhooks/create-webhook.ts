import { ApiError, type BodyOf, type Caller, newId, type ResponseOf, type webhookOperations } from '@cobro/contracts'
import { type Database, merchantOf, newRow, seal, type Tx } from '@cobro/database'
import type { KeyRing } from '@cobro/runtime'
import { checkWebhookUrl, type UrlDeps } from '../ssrf-guard/check-webhook-url.ts'
import { EndpointEntity, type EndpointRow } from './endpoint-entity.ts'
import { maskSecret, newSecret } from './webhook-secret.ts'

export interface WebhookDeps extends UrlDeps {
  db: Database
  keys: KeyRing
  maxEndpoints: number
}

type Input = BodyOf<typeof webhookOperations.create>
type NewWebhook = ResponseOf<typeof webhookOperations.create>

/** Creates an endpoint. Returns its secret, which is never shown again. */
export async function createWebhook(deps: WebhookDeps, caller: Caller, input: Input): Promise<NewWebhook> {
  await checkWebhookUrl(deps, input.url)
  const merchant_id = merchantOf(caller)
  const secret = newSecret()
  const row = await deps.db.write(async (tx, emit) => {
    await assertBelowMaximum(tx, merchant_id, deps.maxEndpoints)
    const now = new Date()
    const endpoint = newRow(tx, EndpointEntity, {
      id: newId('whk'),
      merchant_id,
      url: input.url,
      events: [...new Set(input.events)],
      status: 'active',
      secret: seal(deps.keys, secret),
      secret_masked: maskSecret(secret),
      description: input.description ?? null,
      exhausted_in_a_row: 0,
      created_at: now,
      updated_at: now,
    })
    await tx.execute('insert into webhooks.lanes (webhook_id, merchant_id) values (?, ?)', [endpoint.id, merchant_id])
    emit('webhook_endpoint.created', endpoint)
    return endpoint
  })
  return { ...row, secret }
}

/** Serializes the creations of a merchant, so that two cannot both take the last place. */
async function assertBelowMaximum(tx: Tx, merchant_id: EndpointRow['merchant_id'], maximum: number): Promise<void> {
  await tx.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`webhooks of ${merchant_id}`])
  if ((await tx.count(EndpointEntity, { merchant_id })) >= maximum) {
    throw new ApiError('conflict', `a merchant has at most ${maximum} webhook endpoints: delete one that is not used`)
  }
}
