import { ApiError, type Caller } from '@cobro/contracts'
import { type Database, getRow } from '@cobro/database'
import type { Logger } from '@cobro/runtime'
import { isManual, TransactionEntity, type TransactionRow } from '../transactions/transaction-entity.ts'
import { settleRefund } from './settle-refund.ts'
import { startRefund } from './start-refund.ts'

/**
 * Begins to give an approved card payment back, all of it; the acquirer is asked from the commit on. What never went through the
 * acquirer has nobody to confirm it: it is given back at once.
 */
export function refundTransaction(
  { db, logger }: { db: Database; logger: Logger },
  caller: Caller,
  id: string,
): Promise<TransactionRow> {
  return db.write(async (tx, emit) => {
    const row = await getRow(tx, TransactionEntity, caller, id, { lock: true })
    refuseUnfit(row)
    const refund = await startRefund(tx, row, { owed: false, ...(isManual(row) ? { paymentKey: 'manual' } : {}) })
    emit('payment.refund_requested', row)
    if (isManual(row)) {
      await settleRefund({ tx, emit, logger }, refund.id, { status: 'completed', acquirer_reference: null })
    }
    return row
  })
}

function refuseUnfit({ payment_method, status, refund_status }: TransactionRow): void {
  if (payment_method !== 'card') throw new ApiError('conflict', 'only a card payment can be refunded')
  if (status !== 'approved') throw new ApiError('conflict', `the transaction is ${status}`)
  if (refund_status === 'processing') throw new ApiError('conflict', 'a refund is being processed')
}
