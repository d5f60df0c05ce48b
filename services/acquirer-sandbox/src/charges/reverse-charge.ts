import { randomUUID } from 'node:crypto'
import type { ChargeResponse, ReversedResponse } from '@cobro/acquirer'
import type { Database } from '@cobro/database'
import { claimKey } from '../claim-key.ts'
import { ChargeEntity } from './charge-entity.ts'
import { tellCharge } from './judge-charge.ts'

/** Takes a key that nothing has come under, so that nothing ever will; or says what it came to. */
export async function reverseCharge({ db }: { db: Database }, key: string): Promise<ChargeResponse | ReversedResponse> {
  const now = new Date()
  const nothing = { key, reference: randomUUID(), status: 'reversed' as const, settles_at: now, created_at: now }
  const { row } = await db.write(tx => claimKey(tx, ChargeEntity, nothing))
  return row.status === 'reversed' ? { key, status: 'reversed' } : tellCharge(row, new Date())
}
