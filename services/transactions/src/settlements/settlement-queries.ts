import { type Caller, type ListQuery, settlements } from '@cobro/contracts'
import { type Database, getRow, listRows, scopeOf } from '@cobro/database'
import { SettlementEntity } from './settlement-entity.ts'

/** Returns one page of the settlements that a caller may see, without deleted ones. */
export function listSettlements(db: Database, caller: Caller, query: ListQuery) {
  const scope = { ...scopeOf(caller), deleted_at: null }
  return db.read(em => listRows(em, SettlementEntity, caller, query, { search: settlements.search, scope }))
}

export function getSettlement(db: Database, caller: Caller, id: string) {
  return db.read(em => getRow(em, SettlementEntity, caller, id))
}
