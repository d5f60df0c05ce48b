import type { PayableId } from '@cobro/contracts'
import type { Violation } from './read-policy-reports.ts'

const windowMs = 3_600_000
const maxPerWindow = 100
/** The other violations of an hour have to be on the page of an open session or link. */
const maxOfAnyPage = 50
const maxPerAddress = 10
/** Addresses that are counted; then the oldest are counted again from zero. */
const maxAddresses = 10_000

/**
 * Decides which violations become events, so that strangers can neither fill the audit log nor hide real violations: each
 * directive with the same blocked origin once an hour, at most 10 events an hour for an address and 100 in each replica, the
 * second 50 of which only on pages of open sessions and links. `isOpen` looks for one in the database, only after the first 50.
 */
export function openViolationLimits(isOpen: (id: PayableId) => Promise<boolean>) {
  const admitted = new Set<string>()
  const perAddress = new Map<string, number>()
  let startedAtMs = Number.NEGATIVE_INFINITY
  const keyOf = ({ directive, blocked_origin }: Violation) => `${directive} ${blocked_origin}`

  /** Counts a violation of an address. Returns false if it has had too many. */
  const countOf = (address: string): boolean => {
    const count = perAddress.get(address) ?? 0
    if (count >= maxPerAddress) return false
    perAddress.set(address, count + 1)
    const [oldest] = perAddress.keys()
    if (perAddress.size > maxAddresses && oldest !== undefined) perAddress.delete(oldest)
    return true
  }
  const known = (violation: Violation) => {
    if (admitted.has(keyOf(violation))) return 'repeated'
    return admitted.size >= maxPerWindow ? 'over_limit' : undefined
  }

  return {
    /** `address` is undefined if the gateway does not name it. */
    admit: async (
      violation: Violation,
      address: string | undefined,
      nowMs: number,
    ): Promise<'recorded' | 'repeated' | 'over_limit'> => {
      if (nowMs - startedAtMs >= windowMs) {
        startedAtMs = nowMs
        admitted.clear()
        perAddress.clear()
      }
      const before = known(violation)
      if (before) return before
      if (address !== undefined && !countOf(address)) return 'over_limit'
      if (admitted.size >= maxOfAnyPage) {
        if (!violation.id || !(await isOpen(violation.id))) return 'over_limit'
        // Other calls were admitted in the meantime.
        const after = known(violation)
        if (after) return after
      }
      admitted.add(keyOf(violation))
      return 'recorded'
    },
    /** Forgets a violation whose event could not be stored. */
    forget: (violation: Violation) => void admitted.delete(keyOf(violation)),
  }
}

export type ViolationLimits = ReturnType<typeof openViolationLimits>
