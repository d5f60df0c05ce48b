import { ApiError, type BodyOf, type Caller, type Id, type transactionOperations } from '@cobro/contracts'
import { assignRow, changedFields, type Database, type Emit, getRow, type Tx } from '@cobro/database'
import { postCapture } from './post-capture.ts'
import { isManual, TransactionEntity, type TransactionRow } from './transaction-entity.ts'
import { transitionTransaction } from './transition-transaction.ts'

type Change = BodyOf<typeof transactionOperations.update>

/** Changes a transaction's descriptive fields, and approves or cancels a pending manual one. */
export function editTransaction(db: Database, caller: Caller, id: Id<'txn'>, change: Change): Promise<TransactionRow> {
  const { status, ...fields } = change
  return db.write(async (tx, emit) => {
    const row = await getRow(tx, TransactionEntity, caller, id, { lock: true })
    if (status !== undefined && caller.kind !== 'operator') throw new ApiError('forbidden')
    if (Object.keys(changedFields(row, fields)).length > 0) {
      assignRow(row, fields)
      row.updated_at = new Date()
      emit('transaction.updated', row)
    }
    if (status !== undefined) await endManualTransaction({ tx, emit, row }, status)
    return row
  })
}

async function endManualTransaction(
  { tx, emit, row }: { tx: Tx; emit: Emit; row: TransactionRow },
  to: 'approved' | 'cancelled',
) {
  if (!isManual(row)) throw new ApiError('conflict', 'the acquirer says how this transaction ends')
  if (row.status !== 'pending') throw new ApiError('conflict', `the transaction is ${row.status}`)
  const now = new Date()
  row.updated_at = now
  if (to === 'approved') {
    row.captured_at = now
    await postCapture(tx, row)
    transitionTransaction({ emit, row, now }, 'approve')
    return
  }
  transitionTransaction({ emit, row, now }, 'cancel')
  // A manual transaction has no session or link, so checkout has not emitted this event.
  emit('payment.cancelled', row)
}
