import { randomUUID } from 'node:crypto'
import type { NotFoundResponse, RefundResponse, ReversedResponse } from '@cobro/acquirer'
import type { Database } from '@cobro/database'
import { claimKey } from '../claim-key.ts'
import { AcquirerRefundEntity } from './acquirer-refund-entity.ts'
import { tellRefund } from './judge-refund.ts'

/** What a refund's key came to, or that nothing has come under it yet. */
export async function findRefund({ db }: { db: Database }, key: string): Promise<RefundResponse | NotFoundResponse> {
  const refund = await db.read(em => em.findOne(AcquirerRefundEntity, { key }))
  return refund ? tellRefund(refund, new Date()) : { key, status: 'not_found' }
}

/** Takes a refund's key that nothing has come under, so that nothing ever will; or says what it came to. */
export async function reverseRefund({ db }: { db: Database }, key: string): Promise<RefundResponse | ReversedResponse> {
  const now = new Date()
  const nothing = { key, reference: randomUUID(), status: 'reversed' as const, settles_at: now, created_at: now }
  const { row } = await db.write(tx => claimKey(tx, AcquirerRefundEntity, nothing))
  return row.status === 'reversed' ? { key, status: 'reversed' } : tellRefund(row, new Date())
}
