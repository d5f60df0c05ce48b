import { randomUUID } from 'node:crypto'
import type { RefundBody, RefundResponse } from '@cobro/acquirer'
import type { Database } from '@cobro/database'
import { claimIdempotencyKey, rejectOtherBody } from '../idempotency/claim-idempotency-key.ts'
import { storeNotification } from '../notifications/store-notification.ts'
import { AcquirerRefundEntity } from './acquirer-refund-entity.ts'
import { decideRefund, refundResponseAt } from './decide-refund.ts'
import { lockPayment } from './lock-payment.ts'

export interface CreateRefundDeps {
  db: Database
  refundDelayMs: number
}

type KeyedRefund = RefundBody & { key: string }

const fields = ['charge_key', 'voucher_key', 'amount_cents', 'currency'] as const

/** Creates a refund once per key. Locks the payment, so two keys cannot both refund it fully. */
export async function createRefund(deps: CreateRefundDeps, request: KeyedRefund): Promise<RefundResponse> {
  const refund = await deps.db.write(async tx => {
    const payment = await lockPayment(tx, request)
    const now = new Date()
    const { late, ...decision } = decideRefund(payment, request)
    const settles_at = late ? new Date(now.getTime() + deps.refundDelayMs) : now
    const claim = { ...request, ...decision, reference: randomUUID(), settles_at, created_at: now }
    const { row, created } = await claimIdempotencyKey(tx, AcquirerRefundEntity, claim)
    if (created && late) {
      const outcome = { ...refundResponseAt(row, settles_at), status: decision.status }
      storeNotification(tx, `refund.${decision.status}`, outcome, settles_at)
    }
    if (!created && row.status !== 'reversed') rejectOtherBody(row, request, fields, 'refund')
    return row
  })
  return refundResponseAt(refund, new Date())
}
