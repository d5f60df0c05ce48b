import type { BodyOf, Caller, Id, settlements } from '@cobro/contracts'
import { changedFields, type Database, getRow } from '@cobro/database'
import { SettlementEntity } from './settlement-entity.ts'
import { transitionSettlement } from './transition-settlement.ts'

type Change = BodyOf<typeof settlements.operations.update>

const actions = { paid: 'pay', failed: 'fail' } as const

/** Changes the reference of a settlement, or marks a pending one as paid or failed. */
export function changeSettlement(db: Database, caller: Caller, id: Id<'stl'>, { status, reference }: Change) {
  return db.write(async (tx, emit) => {
    const row = await getRow(tx, SettlementEntity, caller, id, { lock: true })
    const changes = changedFields(row, { reference })
    if (reference !== undefined && changes.reference) {
      row.reference = reference
      row.updated_at = new Date()
      emit('settlement.updated', { ...row, changes })
    }
    if (status !== undefined) await transitionSettlement({ tx, emit }, row, actions[status])
    return row
  })
}

/** Deletes a pending settlement. */
export function deleteSettlement(db: Database, caller: Caller, id: Id<'stl'>): Promise<void> {
  return db.write(async (tx, emit) => {
    const row = await getRow(tx, SettlementEntity, caller, id, { lock: true })
    await transitionSettlement({ tx, emit }, row, 'delete')
  })
}
