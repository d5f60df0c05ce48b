import { randomUUID } from 'node:crypto'
import type { ChargeResponse, NotFoundResponse, ReversedResponse } from '@cobro/acquirer'
import type { Database } from '@cobro/database'
import { claimIdempotencyKey } from '../idempotency/claim-idempotency-key.ts'
import { ChargeEntity } from './charge-entity.ts'
import { chargeResponseAt } from './decide-charge.ts'

/** Returns the charge of a key, or `not_found`. */
export async function findCharge({ db }: { db: Database }, key: string): Promise<ChargeResponse | NotFoundResponse> {
  const charge = await db.read(em => em.findOne(ChargeEntity, { key }))
  return charge ? chargeResponseAt(charge, new Date()) : { key, status: 'not_found' }
}

/** Reverses an unused key, so that later charges with it fail, or returns a used one's charge. */
export async function reverseCharge({ db }: { db: Database }, key: string): Promise<ChargeResponse | ReversedResponse> {
  const now = new Date()
  const reversal = { key, reference: randomUUID(), status: 'reversed' as const, settles_at: now, created_at: now }
  const { row } = await db.write(tx => claimIdempotencyKey(tx, ChargeEntity, reversal))
  return row.status === 'reversed' ? { key, status: 'reversed' } : chargeResponseAt(row, new Date())
}
