import { ApiError, type Caller, type Id } from '@cobro/contracts'
import { type Database, getRow } from '@cobro/database'
import type { Logger } from '@cobro/runtime'
import { isManual, TransactionEntity, type TransactionRow } from '../transactions/transaction-entity.ts'
import { resolveRefund } from './resolve-refund.ts'
import { startRefund } from './start-refund.ts'

/**
 * Refunds an approved card payment in full. The acquirer is called after the commit. The refund of
 * a manual transaction, which never went through the acquirer, completes at once.
 */
export function refundTransaction({ db, logger }: { db: Database; logger: Logger }, caller: Caller, id: Id<'txn'>) {
  return db.write(async (tx, emit) => {
    const row = await getRow(tx, TransactionEntity, caller, id, { lock: true })
    requireRefundable(row)
    const refund = await startRefund(tx, row, { owed: false, ...(isManual(row) ? { paymentKey: 'manual' } : {}) })
    emit('payment.refund_requested', row)
    if (isManual(row)) {
      await resolveRefund({ tx, emit, logger }, refund.id, { status: 'completed', acquirer_reference: null })
    }
    return row
  })
}

function requireRefundable({ payment_method, status, refund_status }: TransactionRow): void {
  if (payment_method !== 'card') throw new ApiError('conflict', 'only a card payment can be refunded')
  if (status !== 'approved') throw new ApiError('conflict', `the transaction is ${status}`)
  if (refund_status === 'processing') throw new ApiError('conflict', 'a refund is being processed')
}
