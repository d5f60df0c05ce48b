import { isDeepStrictEqual } from 'node:util'
import { ApiError, type apiKeyOperations, type BodyOf, type Caller, type Id } from '@cobro/contracts'
import { assignRow, type Database, getRow } from '@cobro/database'
import { ApiKeyEntity, type ApiKeyRow } from './api-key-entity.ts'
import { rejectWiderScopes } from './reject-wider-scopes.ts'

type ApiKeyChange = BodyOf<typeof apiKeyOperations.update>

/** Changes a key's name, allowed addresses or scopes. An unchanged value emits no event. */
export function updateApiKey(db: Database, caller: Caller, id: Id<'key'>, change: ApiKeyChange): Promise<ApiKeyRow> {
  return db.write(async (tx, emit) => {
    const row = await getRow(tx, ApiKeyEntity, caller, id, { lock: true })
    if (row.status === 'revoked') throw new ApiError('conflict', 'this API key is revoked')
    const { name = row.name, allowed_ips = row.allowed_ips, scopes = row.scopes } = change
    const renamed = name !== row.name
    const rangesChanged = !isDeepStrictEqual(allowed_ips, row.allowed_ips)
    const scopesChanged = !isDeepStrictEqual(scopes, row.scopes)
    if (scopesChanged) rejectWiderScopes(caller, scopes)
    if (renamed || rangesChanged || scopesChanged) assignRow(row, { name, allowed_ips, scopes, updated_at: new Date() })
    if (renamed) emit('api_key.renamed', row)
    if (rangesChanged) emit('api_key.allowed_ips_changed', row)
    if (scopesChanged) emit('api_key.scopes_changed', row)
    return row
  })
}
