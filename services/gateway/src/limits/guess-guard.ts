import { hash } from 'node:crypto'
import { ApiError, type Caller } from '@cobro/contracts'
import type { Allowance, RateLimits } from './rate-limits.ts'

/** More credentials than a replica meets in a day; the oldest are forgotten first. */
const maxKnown = 10_000

/** What a call shows, and from where. */
export interface Shown {
  credential: string
  /** Under what its address is counted; asked for only where that matters. */
  address: () => string
}

interface Guarded {
  identify: () => Promise<Caller>
  /** Told what the address has left when a bad credential was counted. */
  onCounted: (allowance: Allowance) => void
}

/**
 * Makes a guard before the look-up of credentials. Bad ones count against the address that they come from; once these are too
 * many, nothing that it shows is looked up any more, but for what was good before: who guesses shuts nobody out with whom it
 * shares an address. Calls that come at the very same time are counted only when they have been looked up.
 */
export function guessGuard(limits: Pick<RateLimits, 'check' | 'take'>) {
  const known = new Set<string>()
  return async ({ credential, address }: Shown, { identify, onCounted }: Guarded): Promise<Caller> => {
    const id = hash('sha256', credential)
    if (!known.has(id)) await limits.check('guess', address())
    try {
      const caller = await identify()
      remember(known, id)
      return caller
    } catch (error) {
      if (error instanceof ApiError && error.code === 'unauthorized') {
        known.delete(id)
        onCounted(await limits.take('guess', address()))
      }
      throw error
    }
  }
}

function remember(known: Set<string>, id: string): void {
  known.add(id)
  const [oldest] = known
  if (known.size > maxKnown && oldest !== undefined) known.delete(oldest)
}
