import { webhookCatalog, webhookOperations, webhooks } from '@cobro/contracts'
import { type Route, route } from '@cobro/http'
import { createWebhook, type WebhookDeps } from './create-webhook.ts'
import { deleteWebhook } from './delete-webhook.ts'
import { getWebhook, listWebhooks } from './list-webhooks.ts'
import { rotateSecret } from './rotate-secret.ts'
import { updateWebhook } from './update-webhook.ts'

const catalogEntries = Object.entries(webhookCatalog).map(([event, entry]) => ({ event, ...entry }))

export function webhookRoutes(deps: WebhookDeps): Route[] {
  const { list, read, update, delete: remove } = webhooks.operations
  const { create, catalog, rotate } = webhookOperations
  return [
    route(list, ({ caller, query }) => listWebhooks(deps, caller, query)),
    route(read, async ({ caller, params }) => ({ data: await getWebhook(deps, caller, params.id) })),
    route(create, ({ caller, body }) => createWebhook(deps, caller, body)),
    route(update, async ({ caller, params, body }) => ({ data: await updateWebhook(deps, caller, params.id, body) })),
    route(remove, async ({ caller, params }) => {
      await deleteWebhook(deps, caller, params.id)
      return { data: { id: params.id, deleted: true as const } }
    }),
    route(rotate, ({ caller, params }) => rotateSecret(deps, caller, params.id)),
    route(catalog, async () => ({ data: catalogEntries })),
  ]
}
