import type { DisputeOutcome, DisputeState } from '@cobro/acquirer'
import { ApiError } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { LockMode } from '@mikro-orm/core'
import { storeNotification } from '../notifications/store-notification.ts'
import { AcquirerDisputeEntity } from './acquirer-dispute-entity.ts'
import { disputeState } from './schedule-dispute.ts'

/** Closes an open dispute as the card network would, once. */
export async function closeSandboxDispute(
  { db }: { db: Database },
  { reference, outcome }: { reference: string; outcome: DisputeOutcome },
): Promise<DisputeState> {
  return db.write(async tx => {
    const now = new Date()
    const locked = { lockMode: LockMode.PESSIMISTIC_WRITE }
    const dispute = await tx.findOne(AcquirerDisputeEntity, { reference, opened_at: { $lte: now } }, locked)
    if (!dispute) throw new ApiError('not_found')
    if (dispute.status !== 'open') throw new ApiError('conflict', `the dispute is ${dispute.status} already`)
    dispute.status = outcome
    dispute.resolved_at = now
    const state = disputeState(dispute)
    storeNotification(tx, `dispute.${outcome}`, { ...state, status: outcome }, now)
    return state
  })
}
