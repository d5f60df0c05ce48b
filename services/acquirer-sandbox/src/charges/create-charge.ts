import { randomUUID } from 'node:crypto'
import type { ChargeRequest } from '@cobro/acquirer'
import { type Database, findRow } from '@cobro/database'
import { scheduleDispute } from '../disputes/schedule-dispute.ts'
import { claimIdempotencyKey, rejectOtherBody } from '../idempotency/claim-idempotency-key.ts'
import { storeNotification } from '../notifications/store-notification.ts'
import { TokenEntity } from '../tokens/token-entity.ts'
import { ChargeEntity } from './charge-entity.ts'
import { decideCharge, finalCharge } from './decide-charge.ts'

export interface CreateChargeDeps {
  db: Database
  slowAnswerMs: number
  disputeDelayMs: number
}

const fields = ['token', 'amount_cents', 'currency'] as const

/** Creates a charge once per key: repeated and concurrent calls get the first one, as `known`. */
export function createCharge(deps: CreateChargeDeps, request: ChargeRequest) {
  return deps.db.write(async tx => {
    const now = new Date()
    const card = await findRow(tx, TokenEntity, { token: request.token })
    const { answer, disputed, ...decision } = decideCharge(card, now)
    const settles_at = answer === 'slow' ? new Date(now.getTime() + deps.slowAnswerMs) : now
    const row = { ...request, ...decision, reference: randomUUID(), settles_at, created_at: now }
    const { row: charge, created } = await claimIdempotencyKey(tx, ChargeEntity, row)
    if (!created && charge.status !== 'reversed') rejectOtherBody(charge, request, fields, 'charge')
    // The caller's request has timed out by then.
    if (created && answer === 'slow') storeNotification(tx, 'charge.settled', finalCharge(charge), settles_at)
    if (created && disputed) scheduleDispute(tx, request, new Date(now.getTime() + deps.disputeDelayMs))
    return { charge, answer: created ? answer : 'known' }
  })
}
