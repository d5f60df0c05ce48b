import { ApiError, type BodyOf, type Caller, newId, type transactionOperations } from '@cobro/contracts'
import { type Database, getRow, merchantOf, newRow } from '@cobro/database'
import { updateCallContext } from '@cobro/runtime'
import { postCapture } from '../ledger/post-capture.ts'
import { TerminalEntity } from '../terminales/terminal-entity.ts'
import { TransactionEntity, type TransactionRow } from './transaction-entity.ts'

type Manual = BodyOf<typeof transactionOperations.create>

/** Enters a payment that was taken elsewhere, in person for instance: it never went through the acquirer. */
export function enterTransaction(db: Database, caller: Caller, input: Manual): Promise<TransactionRow> {
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
