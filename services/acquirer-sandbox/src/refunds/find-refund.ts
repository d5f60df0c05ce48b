import { randomUUID } from 'node:crypto'
import type { NotFoundResponse, RefundResponse, ReversedResponse } from '@cobro/acquirer'
import type { Database } from '@cobro/database'
import { claimIdempotencyKey } from '../idempotency/claim-idempotency-key.ts'
import { AcquirerRefundEntity } from './acquirer-refund-entity.ts'
import { refundResponseAt } from './decide-refund.ts'

/** Returns the refund of a key, or `not_found`. */
export async function findRefund({ db }: { db: Database }, key: string): Promise<RefundResponse | NotFoundResponse> {
  const refund = await db.read(em => em.findOne(AcquirerRefundEntity, { key }))
  return refund ? refundResponseAt(refund, new Date()) : { key, status: 'not_found' }
}

/** Reverses an unused key, so that later refunds with it fail, or returns a used one's refund. */
export async function reverseRefund({ db }: { db: Database }, key: string): Promise<RefundResponse | ReversedResponse> {
  const now = new Date()
  const reversal = { key, reference: randomUUID(), status: 'reversed' as const, settles_at: now, created_at: now }
  const { row } = await db.write(tx => claimIdempotencyKey(tx, AcquirerRefundEntity, reversal))
  return row.status === 'reversed' ? { key, status: 'reversed' } : refundResponseAt(row, new Date())
}
