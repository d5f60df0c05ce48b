import type { Violation } from './read-policy-reports.ts'

const windowMs = 3_600_000
const maxPerWindow = 100

/**
 * Decides which violations become events, so that strangers cannot fill the audit log: each directive with the same blocked
 * origin once an hour, and at most 100 events an hour in each replica.
 */
export function openViolationLimits() {
  const admitted = new Set<string>()
  let startedAtMs = Number.NEGATIVE_INFINITY
  const keyOf = ({ directive, blocked_origin }: Violation) => `${directive} ${blocked_origin}`
  return {
    admit: (violation: Violation, nowMs: number): 'recorded' | 'repeated' | 'over_limit' => {
      if (nowMs - startedAtMs >= windowMs) {
        startedAtMs = nowMs
        admitted.clear()
      }
      if (admitted.has(keyOf(violation))) return 'repeated'
      if (admitted.size >= maxPerWindow) return 'over_limit'
      admitted.add(keyOf(violation))
      return 'recorded'
    },
    /** Forgets a violation whose event could not be stored. */
    forget: (violation: Violation) => void admitted.delete(keyOf(violation)),
  }
}

export type ViolationLimits = ReturnType<typeof openViolationLimits>
