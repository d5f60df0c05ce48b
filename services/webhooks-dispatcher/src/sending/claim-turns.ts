import { setTimeout as pause } from 'node:timers/promises'

/** Lets the claims of a sender run one after the other, so that no two of them count on the same capacity. */
export interface ClaimTurns {
  /** Runs a claim once the one before has ended, or after 50 ms. */
  take<T>(claim: () => Promise<T>): Promise<T>
  /**
   * Runs a claim once the one before has ended. Does nothing and returns undefined if that takes more than 50 ms,
   * and then until that claim has ended.
   */
  takeAlone<T>(claim: () => Promise<T>): Promise<T | undefined>
}

/** A fan-out that leases may wait for the queue of one endpoint, which must not delay the claims of all others. */
const waitMs = 50

/** Creates the turns of one sender. */
export function claimTurns(): ClaimTurns {
  /** Resolves when the newest turn ends; undefined while there is none. */
  let last: Promise<void> | undefined
  /** How many claims are in progress that another one no longer waits for. */
  let overdue = 0
  const begin = async () => {
    const before = last
    const turn = Promise.withResolvers<void>()
    last = turn.promise
    void turn.promise.then(() => {
      if (last === turn.promise) last = undefined
    })
    if (before && (await Promise.race([before.then(() => false), pause(waitMs, true, { ref: false })]))) {
      overdue += 1
      void before.then(() => {
        overdue -= 1
      })
    }
    return { before, end: turn.resolve }
  }
  const run = <T>(claim: () => Promise<T>, end: () => void) => claim().finally(end)
  return {
    take: async claim => {
      const { end } = await begin()
      return run(claim, end)
    },
    takeAlone: async claim => {
      if (overdue > 0) return undefined
      const { before, end } = await begin()
      if (overdue === 0) return run(claim, end)
      // A claim that comes later waits for the one in progress.
      end(before)
    },
  }
}
