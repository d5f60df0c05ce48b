import { apiKeyOperations } from '@cobro/contracts'
import { type Database, getRow, listRows, merchantOf } from '@cobro/database'
import { type Route, route } from '@cobro/http'
import { ApiKeyEntity } from './api-key-entity.ts'
import { createApiKey, type KeySettings } from './create-api-key.ts'
import { revokeApiKey } from './revoke-api-key.ts'
import { rotateApiKey } from './rotate-api-key.ts'
import { updateApiKey } from './update-api-key.ts'

const columns = { search: ['name', 'key_masked'] }

export function apiKeyRoutes({ db, keySettings }: { db: Database; keySettings: KeySettings }): Route[] {
  return [
    route(apiKeyOperations.create, ({ caller, body }) =>
      db.write(async (tx, emit) =>
        createApiKey({ settings: keySettings, tx, emit }, { ...body, merchant_id: merchantOf(caller) }),
      ),
    ),
    route(
      apiKeyOperations.list,
      ({ caller, query }) => db.read(em => listRows(em, ApiKeyEntity, caller, query, columns)) as never,
    ),
    route(apiKeyOperations.read, async ({ caller, params }) => {
      return { data: await db.read(em => getRow(em, ApiKeyEntity, caller, params.id)) } as never
    }),
    route(apiKeyOperations.update, async ({ caller, params, body }) => {
      return { data: await updateApiKey(db, caller, params.id, body) } as never
    }),
    route(apiKeyOperations.delete, async ({ caller, params }) => {
      await revokeApiKey(db, caller, params.id)
      return { data: { id: params.id, deleted: true as const } }
    }),
    route(apiKeyOperations.rotate, ({ caller, params, body }) =>
      rotateApiKey({ db, keySettings }, { caller, id: params.id, rotation: body }),
    ),
  ]
}
