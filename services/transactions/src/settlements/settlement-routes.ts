import { type Caller, settlements } from '@cobro/contracts'
import { changedFields, type Database, getRow, listRows, scopeOf } from '@cobro/database'
import { crud, type Route } from '@cobro/http'
import { endSettlement } from './end-settlement.ts'
import { settlePeriod } from './settle-period.ts'
import { SettlementEntity } from './settlement-entity.ts'

interface Change {
  status?: 'paid' | 'failed'
  reference?: string | null
}

export function settlementRoutes({ db }: { db: Database }): Route[] {
  const { search } = settlements
  return Object.values(
    crud(settlements, {
      list: (caller, query) =>
        db.read(em =>
          listRows(em, SettlementEntity, caller, query, { search, scope: { ...scopeOf(caller), deleted_at: null } }),
        ),
      get: (caller, id) => db.read(em => getRow(em, SettlementEntity, caller, id)),
      create: (caller, input) => settlePeriod(db, caller, input),
      update: (caller, id, input) => changeSettlement(db, caller, id, input),
      remove: (caller, id) =>
        db.write(async (tx, emit) => {
          const row = await getRow(tx, SettlementEntity, caller, id, { lock: true })
          await endSettlement({ tx, emit, schema: db.schema }, row, 'deleted')
        }),
    }),
  )
}

function changeSettlement(db: Database, caller: Caller, id: string, { status, reference }: Change) {
  return db.write(async (tx, emit) => {
    const row = await getRow(tx, SettlementEntity, caller, id, { lock: true })
    const changes = changedFields(row, { reference })
    if (reference !== undefined && changes.reference) {
      row.reference = reference
      row.updated_at = new Date()
      emit('settlement.updated', { ...row, changes })
    }
    if (status !== undefined) await endSettlement({ tx, emit, schema: db.schema }, row, status)
    return row
  })
}
