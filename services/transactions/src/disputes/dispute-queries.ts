import { type Caller, disputes, type ListQuery } from '@cobro/contracts'
import { type Database, getRow, listRows, scopeOf } from '@cobro/database'
import { DisputeEntity } from './dispute-entity.ts'

/** Returns one page of the disputes that a caller may see, without withdrawn ones. */
export function listDisputes(db: Database, caller: Caller, query: ListQuery) {
  const scope = { ...scopeOf(caller), deleted_at: null }
  return db.read(em => listRows(em, DisputeEntity, caller, query, { search: disputes.search, scope }))
}

export function getDispute(db: Database, caller: Caller, id: string) {
  return db.read(em => getRow(em, DisputeEntity, caller, id))
}
