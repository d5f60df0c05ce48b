import { apiKeyOperations } from '@cobro/contracts'
import { type Database, listRows, merchantOf } from '@cobro/database'
import { type Route, route } from '@cobro/http'
import { ApiKeyEntity } from './api-key-entity.ts'
import { createApiKey, type KeySettings } from './create-api-key.ts'

export function apiKeyRoutes({ db, keySettings }: { db: Database; keySettings: KeySettings }): Route[] {
  return [
    route(apiKeyOperations.create, ({ caller, body }) =>
      db.write(async (tx, emit) =>
        createApiKey({ settings: keySettings, tx, emit }, { merchant_id: merchantOf(caller), name: body.name }),
      ),
    ),
    route(
      apiKeyOperations.list,
      ({ caller, query }) => db.read(em => listRows(em, ApiKeyEntity, caller, query, { search: ['name'] })) as never,
    ),
  ]
}
