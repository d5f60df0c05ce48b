/** Limits the requests to all endpoints of a merchant, in each second and in this process. */
export interface SendBudget {
  readonly perMerchant: number
  /** Returns how many requests of each merchant began in the current second. */
  spent(): ReadonlyMap<string, number>
  /** Counts a request. */
  spend(merchantId: string): void
}

const windowMs = 1_000

/** Opens a budget. Like the limits of the gateway it is counted in memory; see decision 9. */
export function openSendBudget(perMerchant: number, now: () => number = performance.now.bind(performance)): SendBudget {
  const counts = new Map<string, number>()
  let windowEndsAt = 0
  const current = () => {
    if (now() >= windowEndsAt) {
      counts.clear()
      windowEndsAt = now() + windowMs
    }
    return counts
  }
  return {
    perMerchant,
    spent: current,
    spend: merchantId => void current().set(merchantId, (counts.get(merchantId) ?? 0) + 1),
  }
}
