import { webhookCatalog, webhookOperations, webhooks } from '@cobro/contracts'
import { getRow, listRows } from '@cobro/database'
import { type Route, route } from '@cobro/http'
import type { Waker } from '../webhook-deliveries/request-delivery.ts'
import { createWebhook, type WebhookDeps } from './create-webhook.ts'
import { deleteWebhook } from './delete-webhook.ts'
import { EndpointEntity } from './endpoint-entity.ts'
import { rotateSecret } from './rotate-secret.ts'
import { testWebhook } from './test-webhook.ts'
import { updateWebhook } from './update-webhook.ts'

const shownCatalog = Object.entries(webhookCatalog).map(([event, { description, object }]) => ({
  event,
  description,
  object,
}))

export function webhookRoutes(deps: WebhookDeps & { sender: Waker }): Route[] {
  const { list, read, update, delete: remove } = webhooks.operations
  const { create, catalog, rotate, test } = webhookOperations
  const columns = { search: webhooks.search }
  return [
    route(list, ({ caller, query }) => deps.db.read(em => listRows(em, EndpointEntity, caller, query, columns))),
    route(read, async ({ caller, params }) => {
      const data = await deps.db.read(em => getRow(em, EndpointEntity, caller, params.id))
      return { data }
    }),
    route(create, async ({ caller, body }) => createWebhook(deps, caller, body)),
    route(update, async ({ caller, params, body }) => {
      const data = await updateWebhook(deps, caller, params.id, body)
      return { data }
    }),
    route(remove, async ({ caller, params }) => {
      await deleteWebhook(deps, caller, params.id)
      return { data: { id: params.id, deleted: true as const } }
    }),
    route(rotate, async ({ caller, params }) => {
      const { endpoint, secret } = await rotateSecret(deps, caller, params.id)
      return { data: endpoint, secret }
    }),
    route(test, async ({ caller, params }) => ({ data: await testWebhook(deps, caller, params.id) })),
    route(catalog, async () => ({ data: shownCatalog })),
  ]
}
