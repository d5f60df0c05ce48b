import { assignRow, type Database } from '@cobro/database'
import { LockMode } from '@mikro-orm/core'
import { ApprovalEntity } from './approval-entity.ts'

const batchSize = 100

/** Ends the approvals that no one has decided in time. Returns whether there may be more. */
export function lapseApprovals(db: Database): Promise<boolean> {
  return db.write(async (tx, emit) => {
    const now = new Date()
    const due = { status: 'pending', lapses_at: { $lte: now } } as const
    const locked = { limit: batchSize, lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE } as const
    const rows = await tx.find(ApprovalEntity, due, locked)
    for (const row of rows) {
      assignRow(row, { status: 'lapsed', decided_at: now })
      emit('approval.lapsed', row)
    }
    return rows.length === batchSize
  })
}
