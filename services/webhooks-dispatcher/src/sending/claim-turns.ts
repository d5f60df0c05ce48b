import { setTimeout as pause } from 'node:timers/promises'

/** Keeps two claims of a sender from counting on the same capacity. */
export interface ClaimTurns {
  /** Whether a claim is in progress or waits for its turn. */
  isTaken(): boolean
  /** Runs a claim at once. The claims after it see that it is in progress. */
  take<T>(claim: () => Promise<T>): Promise<T>
  /** Runs a claim once the one in progress has ended, or after 50 ms. */
  takeNext<T>(claim: () => Promise<T>): Promise<T>
}

/** A fan-out that leases may wait for the queue of one endpoint, which must not delay the claims of all others. */
const waitMs = 50

/** Creates the turns of one sender. */
export function claimTurns(): ClaimTurns {
  /** The claim in progress, if there is one. Never rejects. */
  let claiming: Promise<void> | undefined
  let waits = false
  const take = <T>(claim: () => Promise<T>): Promise<T> => {
    const claimed = claim()
    const ended = () => {
      if (claiming === ending) claiming = undefined
    }
    const ending: Promise<void> = claimed.then(ended, ended)
    claiming = ending
    return claimed
  }
  return {
    isTaken: () => claiming !== undefined || waits,
    take,
    takeNext: async claim => {
      waits = true
      if (claiming) await Promise.race([claiming, pause(waitMs, undefined, { ref: false })])
      waits = false
      return take(claim)
    },
  }
}
