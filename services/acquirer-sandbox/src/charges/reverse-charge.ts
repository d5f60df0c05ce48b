import type { ChargeAnswer } from '@cobro/acquirer'
import type { Database } from '@cobro/database'
import { tellCharge } from './judge-charge.ts'
import { claimKey } from './take-charge.ts'

/** Takes a key that nothing has come under, so that nothing ever will; or says what it came to. */
export async function reverseCharge(
  { db }: { db: Database },
  key: string,
): Promise<ChargeAnswer | { key: string; status: 'reversed' }> {
  const now = new Date()
  const nothing = { token: null, amount_cents: null, currency: null, response_code: null, risk_score: null }
  const { charge } = await db.write(tx =>
    claimKey(tx, { ...nothing, key, status: 'reversed', settles_at: now, created_at: now }),
  )
  return charge.status === 'reversed' ? { key, status: 'reversed' } : tellCharge(charge, new Date())
}
