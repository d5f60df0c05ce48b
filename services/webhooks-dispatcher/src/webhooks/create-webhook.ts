import type { BodyOf } from '@cobro/contracts'
import { type Caller, newId, type webhookOperations } from '@cobro/contracts'
import { type Database, merchantOf, newRow, seal } from '@cobro/database'
import type { KeyRing } from '@cobro/runtime'
import { checkUrl, type UrlDeps } from './check-url.ts'
import { EndpointEntity, type EndpointRow } from './endpoint-entity.ts'
import { maskSecret, newSecret } from './webhook-secret.ts'

export interface WebhookDeps extends UrlDeps {
  db: Database
  keys: KeyRing
}

type Input = BodyOf<typeof webhookOperations.create>

/** Makes an endpoint. Its secret is handed out here and never again. */
export async function createWebhook(
  deps: WebhookDeps,
  caller: Caller,
  input: Input,
): Promise<Omit<EndpointRow, 'secret'> & { secret: string }> {
  await checkUrl(deps, input.url)
  const secret = newSecret()
  const row = await deps.db.write(async (tx, emit) => {
    const now = new Date()
    const endpoint = newRow(tx, EndpointEntity, {
      id: newId('whk'),
      merchant_id: merchantOf(caller),
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
    await tx.execute('insert into webhooks.lanes (webhook_id) values (?)', [endpoint.id])
    emit('webhook_endpoint.created', endpoint)
    return endpoint
  })
  return { ...row, secret }
}
