import type { SendBudget } from './send-budget.ts'

/**
 * Returns how many more deliveries a merchant with `own` in flight can have, if `free` more fit in.
 * Each gets at most half of what the others leave, so that one with hanging endpoints always leaves room for another.
 */
export function merchantCapacity(free: number, own: number): number {
  return Math.max(0, Math.ceil((free - own) / 2))
}

interface MerchantLoad {
  /** How many more deliveries fit in. */
  free: number
  /** How many deliveries of each merchant are in flight. */
  inFlight: ReadonlyMap<string, number>
  budget: Pick<SendBudget, 'perMerchant' | 'spent'>
}

/** Returns how many deliveries a claim may give to each merchant, and to any that is not named. */
export function claimableByMerchant({ free, inFlight, budget }: MerchantLoad) {
  const spent = budget.spent()
  const claimable = (merchantId: string) =>
    Math.max(
      0,
      Math.min(
        merchantCapacity(free, inFlight.get(merchantId) ?? 0),
        budget.perMerchant - (spent.get(merchantId) ?? 0),
      ),
    )
  const named = new Set([...inFlight.keys(), ...spent.keys()])
  return {
    named: new Map([...named].map(merchantId => [merchantId, claimable(merchantId)])),
    others: Math.min(merchantCapacity(free, 0), budget.perMerchant),
  }
}
