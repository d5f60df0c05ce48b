/** Limits the requests to all endpoints of a merchant, in each second and in this process. */
export interface SendBudget {
  readonly perMerchant: number
  /** Returns how many requests of each merchant began in the current second. */
  spent(): ReadonlyMap<string, number>
  /** Whether an endpoint got a request in the current second, and its merchant can send nothing more in it. */
  isSpentFor(webhookId: string): boolean
  /** Returns the milliseconds until the next second. */
  leftMs(): number
  /** Counts a request to an endpoint of a merchant. */
  spend(merchantId: string, webhookId: string): void
}

const windowMs = 1_000

/** Opens a budget. Like the limits of the gateway it is counted in memory; see decision 9. */
export function openSendBudget(perMerchant: number, now: () => number = performance.now.bind(performance)): SendBudget {
  const counts = new Map<string, number>()
  const merchants = new Map<string, string>()
  let windowEndsAt = 0
  const current = () => {
    if (now() >= windowEndsAt) {
      counts.clear()
      merchants.clear()
      windowEndsAt = now() + windowMs
    }
    return counts
  }
  return {
    perMerchant,
    spent: current,
    isSpentFor: webhookId => (current().get(merchants.get(webhookId) ?? '') ?? 0) >= perMerchant,
    leftMs: () => {
      current()
      return windowEndsAt - now()
    },
    spend: (merchantId, webhookId) => {
      current().set(merchantId, (counts.get(merchantId) ?? 0) + 1)
      merchants.set(webhookId, merchantId)
    },
  }
}
