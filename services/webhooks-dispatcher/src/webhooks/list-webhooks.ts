import { type Caller, type Id, type ListQuery, webhooks } from '@cobro/contracts'
import { type Database, getRow, listRows } from '@cobro/database'
import { EndpointEntity, type EndpointRow } from './endpoint-entity.ts'

/** Returns a page of the endpoints that the caller may see. */
export function listWebhooks({ db }: { db: Database }, caller: Caller, query: ListQuery) {
  return db.read(em => listRows(em, EndpointEntity, caller, query, { search: webhooks.search }))
}

export function getWebhook({ db }: { db: Database }, caller: Caller, id: Id<'whk'>): Promise<EndpointRow> {
  return db.read(em => getRow(em, EndpointEntity, caller, id))
}
