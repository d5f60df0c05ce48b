import { setTimeout as pause } from 'node:timers/promises'

/** Lets the claims of a sender run one after the other, so that no two of them count on the same capacity. */
export interface ClaimTurns {
  /** Runs `claim` once the one before has ended, or after 50 ms. Passes whether it has ended. */
  take<T>(claim: (isAlone: boolean) => Promise<T>): Promise<T>
}

/** A fan-out that leases may wait for the queue of one endpoint, which must not delay the claims of all others. */
const waitMs = 50

/** Creates the turns of one sender. */
export function claimTurns(): ClaimTurns {
  /** Resolves when the newest turn ends. */
  let last: Promise<void> | undefined
  return {
    take: async claim => {
      const before = last
      const turn = Promise.withResolvers<void>()
      last = turn.promise
      try {
        const isAlone =
          before === undefined || (await Promise.race([before.then(() => true), pause(waitMs, false, { ref: false })]))
        return await claim(isAlone)
      } finally {
        if (last === turn.promise) last = undefined
        turn.resolve()
      }
    },
  }
}
