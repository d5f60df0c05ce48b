import { ApiError, type Caller, type Id } from '@cobro/contracts'
import { type Database, getRow } from '@cobro/database'
import { requireFreshLogin } from '@cobro/http'
import type { Logger } from '@cobro/runtime'
import { isManual, TransactionEntity, type TransactionRow } from '../transactions/transaction-entity.ts'
import { resolveRefund } from './resolve-refund.ts'
import { startRefund } from './start-refund.ts'

export interface RefundDeps {
  db: Database
  logger: Logger
  /** What operators with the access `support` may refund, in hundredths of the transaction's currency. */
  supportRefundCents: number
  /** Above which amount users confirm their login. */
  confirmedRefundCents: number
}

/**
 * Refunds an approved card payment in full. The acquirer is called after the commit. The refund of
 * a manual transaction, which never went through the acquirer, completes at once.
 */
export function refundTransaction(deps: RefundDeps, caller: Caller, id: Id<'txn'>) {
  const { db, logger } = deps
  return db.write(async (tx, emit) => {
    const row = await getRow(tx, TransactionEntity, caller, id, { lock: true })
    requireWithinLimit(caller, row, deps.supportRefundCents)
    if (row.amount_cents > deps.confirmedRefundCents) requireFreshLogin(caller)
    requireRefundable(row)
    const refund = await startRefund(tx, row, { owed: false, ...(isManual(row) ? { paymentKey: 'manual' } : {}) })
    emit('payment.refund_requested', row)
    if (isManual(row)) {
      await resolveRefund({ tx, emit, logger }, refund.id, { status: 'completed', acquirer_reference: null })
    }
    return row
  })
}

function requireWithinLimit(caller: Caller, { amount_cents, currency }: TransactionRow, limitCents: number): void {
  if (caller.kind !== 'operator' || caller.access !== 'support' || amount_cents <= limitCents) return
  const limit = `${(limitCents / 100).toFixed(2)} ${currency}`
  throw new ApiError('forbidden', `the access support refunds up to ${limit}: ask an operator with the access finance`)
}

function requireRefundable({ payment_method, status, refund_status }: TransactionRow): void {
  if (payment_method !== 'card') throw new ApiError('conflict', 'only a card payment can be refunded')
  if (status !== 'approved') throw new ApiError('conflict', `the transaction is ${status}`)
  if (refund_status === 'processing') throw new ApiError('conflict', 'a refund is being processed')
}
