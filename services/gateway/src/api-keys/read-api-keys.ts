import type { Caller, Id, ListQuery } from '@cobro/contracts'
import { type Database, getRow, listRows } from '@cobro/database'
import { ApiKeyEntity, type ApiKeyRow } from './api-key-entity.ts'

const columns = { search: ['name', 'key_masked'] }

/** Returns a page of the API keys of the caller's merchants. */
export function listApiKeys(db: Database, caller: Caller, query: ListQuery) {
  return db.read(em => listRows(em, ApiKeyEntity, caller, query, columns))
}

/** Returns an API key of one of the caller's merchants. */
export function getApiKey(db: Database, caller: Caller, id: Id<'key'>): Promise<ApiKeyRow> {
  return db.read(em => getRow(em, ApiKeyEntity, caller, id))
}
