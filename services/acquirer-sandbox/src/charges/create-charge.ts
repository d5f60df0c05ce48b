import { randomUUID } from 'node:crypto'
import type { ChargeRequest } from '@cobro/acquirer'
import type { Database, Reader, Tx } from '@cobro/database'
import { scheduleDispute } from '../disputes/schedule-dispute.ts'
import { claimIdempotencyKey, rejectOtherBody } from '../idempotency/claim-idempotency-key.ts'
import { storeNotification } from '../notifications/store-notification.ts'
import { findToken } from '../tokens/stored-tokens.ts'
import { ChargeEntity } from './charge-entity.ts'
import { decideCharge, finalCharge } from './decide-charge.ts'

export interface CreateChargeDeps {
  db: Database
  slowAnswerMs: number
  disputeDelayMs: number
}

const fields = ['token', 'amount_cents', 'currency'] as const

/** Creates a charge once per key: repeated and concurrent calls get the first one, as `known`. */
export async function createCharge({ db, slowAnswerMs, disputeDelayMs }: CreateChargeDeps, request: ChargeRequest) {
  const now = new Date()
  const { answer, disputed, ...decision } = decideCharge(await findToken(db, request.token), now)
  const settles_at = answer === 'slow' ? new Date(now.getTime() + slowAnswerMs) : now
  const row = { ...request, ...decision, reference: randomUUID(), settles_at, created_at: now }
  const claim = (em: Reader) => claimIdempotencyKey(em, ChargeEntity, row)
  const claimWithEffects = async (tx: Tx) => {
    const claimed = await claim(tx)
    // The caller's request has timed out by then.
    if (claimed.created && answer === 'slow')
      storeNotification(tx, 'charge.settled', finalCharge(claimed.row), settles_at)
    if (claimed.created && disputed) scheduleDispute(tx, request, new Date(now.getTime() + disputeDelayMs))
    return claimed
  }
  // Most charges are one statement, which needs no transaction.
  const { row: charge, created } = await (answer === 'slow' || disputed ? db.write(claimWithEffects) : db.read(claim))
  if (!created && charge.status !== 'reversed') rejectOtherBody(charge, request, fields, 'charge')
  return { charge, answer: created ? answer : 'known' }
}
