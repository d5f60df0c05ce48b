import { ApiError, type BodyOf, type Caller, newId, type transactionOperations } from '@cobro/contracts'
import { type Database, getRow, merchantOf, newRow } from '@cobro/database'
import { updateCallContext } from '@cobro/runtime'
import { TerminalEntity } from '../sucursales/terminal-entity.ts'
import { postCapture } from '../transactions/post-capture.ts'
import { TransactionEntity, type TransactionRow } from '../transactions/transaction-entity.ts'

type ManualTransaction = BodyOf<typeof transactionOperations.create>

/** Records a payment that was taken without the acquirer, for instance in person. */
export function enterTransaction(db: Database, caller: Caller, input: ManualTransaction): Promise<TransactionRow> {
  return db.write(async (tx, emit) => {
    if (input.terminal_id) await getRow(tx, TerminalEntity, caller, input.terminal_id)
    const now = new Date()
    const { captured_at = now, ...given } = input
    if (captured_at > now) throw new ApiError('invalid_request', 'captured_at: expected a time that has passed')
    const row = newRow(tx, TransactionEntity, {
      ...given,
      id: newId('txn'),
      type: 'payment',
      merchant_id: merchantOf(caller),
      correlation_id: newId('corr'),
      fee_cents: 0,
      captured_at: input.status === 'approved' ? captured_at : null,
      check_count: 0,
      created_at: now,
      updated_at: now,
    })
    updateCallContext(row)
    if (row.status === 'approved') await postCapture(tx, row)
    emit(`payment.${input.status}`, row)
    return row
  })
}
