import { apiKeyOperations } from '@cobro/contracts'
import { type Route, route } from '@cobro/http'
import { createApiKey, type NewKeyDeps } from './create-api-key.ts'
import { getApiKey, listApiKeys } from './read-api-keys.ts'
import { revokeApiKey } from './revoke-api-key.ts'
import { rotateApiKey } from './rotate-api-key.ts'
import { updateApiKey } from './update-api-key.ts'

export function apiKeyRoutes(deps: NewKeyDeps): Route[] {
  const { db } = deps
  return [
    route(apiKeyOperations.create, ({ caller, body }) => createApiKey(deps, caller, body)),
    route(apiKeyOperations.list, ({ caller, query }) => listApiKeys(db, caller, query)),
    route(apiKeyOperations.read, async ({ caller, params }) => ({ data: await getApiKey(db, caller, params.id) })),
    route(apiKeyOperations.update, async ({ caller, params, body }) => ({
      data: await updateApiKey(db, caller, params.id, body),
    })),
    route(apiKeyOperations.delete, async ({ caller, params }) => {
      await revokeApiKey(db, caller, params.id)
      return { data: { id: params.id, deleted: true as const } }
    }),
    route(apiKeyOperations.rotate, ({ caller, params, body }) =>
      rotateApiKey(deps, { caller, id: params.id, rotation: body }),
    ),
  ]
}
