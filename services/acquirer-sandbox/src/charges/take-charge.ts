import { randomUUID } from 'node:crypto'
import type { ChargeRequest } from '@cobro/acquirer'
import { ApiError } from '@cobro/contracts'
import type { Database, Tx } from '@cobro/database'
import { TokenEntity } from '../tokens/token-entity.ts'
import { ChargeEntity, type ChargeRow } from './charge-entity.ts'
import { judgeCharge } from './judge-charge.ts'

export interface TakeChargeDeps {
  db: Database
  slowAnswerMs: number
}

/** A charge, and how the caller is to be answered: `known` where an earlier call took it. */
interface TakenCharge {
  charge: ChargeRow
  answer: 'prompt' | 'slow' | 'cut' | 'known'
}

/** Takes a charge, once per key: whoever comes again, or at the same time, gets what the first one made. */
export async function takeCharge({ db, slowAnswerMs }: TakeChargeDeps, request: ChargeRequest): Promise<TakenCharge> {
  return db.write(async tx => {
    const now = new Date()
    const { answer, ...verdict } = judgeCharge(await tx.findOne(TokenEntity, { token: request.token }), now)
    const settles_at = answer === 'slow' ? new Date(now.getTime() + slowAnswerMs) : now
    const { charge, made } = await claimKey(tx, { ...request, ...verdict, settles_at, created_at: now })
    if (made) return { charge, answer }
    if (charge.status !== 'reversed') refuseOtherBody(charge, request)
    return { charge, answer: 'known' }
  })
}

/** Stores a row under its key, unless the key has one. A row that another call is just storing is waited for. */
export async function claimKey(
  tx: Tx,
  row: Omit<ChargeRow, 'reference'>,
): Promise<{ charge: ChargeRow; made: boolean }> {
  const reference = randomUUID()
  const charge = await tx.upsert(
    ChargeEntity,
    { ...row, reference },
    { onConflictFields: ['key'], onConflictAction: 'ignore' },
  )
  return { charge, made: charge.reference === reference }
}

function refuseOtherBody(charge: ChargeRow, { token, amount_cents, currency }: ChargeRequest): void {
  const same = charge.token === token && charge.amount_cents === amount_cents && charge.currency === currency
  if (!same) throw new ApiError('idempotency_mismatch', 'the key belongs to another charge')
}
