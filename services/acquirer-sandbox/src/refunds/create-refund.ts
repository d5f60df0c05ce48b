import { randomUUID } from 'node:crypto'
import type { RefundBody, RefundResponse } from '@cobro/acquirer'
import { ApiError } from '@cobro/contracts'
import type { Database, Tx } from '@cobro/database'
import { claimKey } from '../claim-key.ts'
import { storeNotification } from '../notifications/store-notification.ts'
import { AcquirerRefundEntity, type AcquirerRefundRow } from './acquirer-refund-entity.ts'
import { judgeRefund, tellRefund } from './judge-refund.ts'
import { lockPayment } from './lock-payment.ts'

export interface TakeRefundDeps {
  db: Database
  refundDelayMs: number
}

type KeyedRefund = RefundBody & { key: string }

/** Takes a refund, once per key. Its payment is locked meanwhile, so that two keys cannot both give the whole of it back. */
export async function takeRefund(deps: TakeRefundDeps, request: KeyedRefund): Promise<RefundResponse> {
  const refund = await deps.db.write(async tx => {
    const payment = await lockPayment(tx, request)
    const now = new Date()
    const { late, ...verdict } = judgeRefund(payment, request)
    const settles_at = late ? new Date(now.getTime() + deps.refundDelayMs) : now
    const claim = { ...request, ...verdict, reference: randomUUID(), settles_at, created_at: now }
    const { row, made } = await claimKey(tx, AcquirerRefundEntity, claim)
    if (made && late) notifySettled(tx, row)
    if (!made && row.status !== 'reversed') refuseOtherBody(row, request)
    return row
  })
  return tellRefund(refund, new Date())
}

function notifySettled(tx: Tx, refund: AcquirerRefundRow): void {
  const told = tellRefund(refund, refund.settles_at)
  if (told.status === 'completed') {
    storeNotification(tx, 'refund.completed', { ...told, status: 'completed' }, refund.settles_at)
  } else {
    storeNotification(tx, 'refund.failed', { ...told, status: 'failed' }, refund.settles_at)
  }
}

function refuseOtherBody(refund: AcquirerRefundRow, request: KeyedRefund): void {
  const fields = ['charge_key', 'voucher_key', 'amount_cents', 'currency'] as const
  const same = fields.every(field => (refund[field] ?? undefined) === request[field])
  if (!same) throw new ApiError('idempotency_mismatch', 'the key belongs to another refund')
}
