import { randomUUID } from 'node:crypto'
import type { ChargeRequest } from '@cobro/acquirer'
import { ApiError } from '@cobro/contracts'
import type { Database, Tx } from '@cobro/database'
import { claimKey } from '../claim-key.ts'
import { beginDispute } from '../disputes/begin-dispute.ts'
import { storeNotification } from '../notifications/store-notification.ts'
import { TokenEntity } from '../tokens/token-entity.ts'
import { ChargeEntity, type ChargeRow } from './charge-entity.ts'
import { judgeCharge, settledCharge } from './judge-charge.ts'

export interface TakeChargeDeps {
  db: Database
  slowAnswerMs: number
  disputeDelayMs: number
}

/** A charge, and how the caller is to be answered: `known` where an earlier call took it. */
interface TakenCharge {
  charge: ChargeRow
  answer: 'prompt' | 'slow' | 'cut' | 'known'
}

/** Takes a charge, once per key: whoever comes again, or at the same time, gets what the first one made. */
export async function takeCharge(deps: TakeChargeDeps, request: ChargeRequest): Promise<TakenCharge> {
  return deps.db.write(async tx => {
    const now = new Date()
    const course = judgeCharge(await tx.findOne(TokenEntity, { token: request.token }), now)
    const { answer, disputed, ...verdict } = course
    const settles_at = answer === 'slow' ? new Date(now.getTime() + deps.slowAnswerMs) : now
    const row = { ...request, ...verdict, reference: randomUUID(), settles_at, created_at: now }
    const { row: charge, made } = await claimKey(tx, ChargeEntity, row)
    if (!made) {
      if (charge.status !== 'reversed') refuseOtherBody(charge, request)
      return { charge, answer: 'known' }
    }
    if (answer === 'slow') notifySettled(tx, charge)
    if (disputed) beginDispute(tx, request, new Date(now.getTime() + deps.disputeDelayMs))
    return { charge, answer }
  })
}

/** What comes late is told by a notification too: the caller has long ceased to listen. */
function notifySettled(tx: Tx, charge: ChargeRow): void {
  storeNotification(tx, 'charge.settled', settledCharge(charge), charge.settles_at)
}

function refuseOtherBody(charge: ChargeRow, { token, amount_cents, currency }: ChargeRequest): void {
  const same = charge.token === token && charge.amount_cents === amount_cents && charge.currency === currency
  if (!same) throw new ApiError('idempotency_mismatch', 'the key belongs to another charge')
}
