import { randomUUID } from 'node:crypto'
import type { RefundBody, RefundResponse } from '@cobro/acquirer'
import { ApiError } from '@cobro/contracts'
import type { Database, Tx } from '@cobro/database'
import { claimIdempotencyKey } from '../idempotency/claim-idempotency-key.ts'
import { storeNotification } from '../notifications/store-notification.ts'
import { AcquirerRefundEntity, type AcquirerRefundRow } from './acquirer-refund-entity.ts'
import { decideRefund, refundResponseAt } from './decide-refund.ts'
import { lockPayment } from './lock-payment.ts'

export interface CreateRefundDeps {
  db: Database
  refundDelayMs: number
}

type KeyedRefund = RefundBody & { key: string }

/** Creates a refund, once per key. It locks the payment, so that two keys cannot both refund the whole of it. */
export async function createRefund(deps: CreateRefundDeps, request: KeyedRefund): Promise<RefundResponse> {
  const refund = await deps.db.write(async tx => {
    const payment = await lockPayment(tx, request)
    const now = new Date()
    const { late, ...decision } = decideRefund(payment, request)
    const settles_at = late ? new Date(now.getTime() + deps.refundDelayMs) : now
    const claim = { ...request, ...decision, reference: randomUUID(), settles_at, created_at: now }
    const { row, created } = await claimIdempotencyKey(tx, AcquirerRefundEntity, claim)
    if (created && late) notifyOutcome(tx, row)
    if (!created && row.status !== 'reversed') rejectOtherBody(row, request)
    return row
  })
  return refundResponseAt(refund, new Date())
}

function notifyOutcome(tx: Tx, refund: AcquirerRefundRow): void {
  const response = refundResponseAt(refund, refund.settles_at)
  if (response.status === 'completed') {
    storeNotification(tx, 'refund.completed', { ...response, status: 'completed' }, refund.settles_at)
  } else {
    storeNotification(tx, 'refund.failed', { ...response, status: 'failed' }, refund.settles_at)
  }
}

function rejectOtherBody(refund: AcquirerRefundRow, request: KeyedRefund): void {
  const fields = ['charge_key', 'voucher_key', 'amount_cents', 'currency'] as const
  const same = fields.every(field => (refund[field] ?? undefined) === request[field])
  if (!same) throw new ApiError('idempotency_mismatch', 'the key belongs to another refund')
}
