/** Lets a loop pause until it is woken or the time is up. */
export interface WakeSignal {
  /** Ends the current `wait`, or the next one if the loop is not waiting. */
  wake(): void
  /** Resolves after `ms`, or as soon as `wake` is called. */
  wait(ms: number): Promise<void>
}

/**
 * Creates a wake signal for one waiting loop. Unlike the signal of `sleepUnlessAborted`, it can be
 * used again after each wait and remembers a call to `wake` between two waits.
 */
export function wakeSignal(): WakeSignal {
  let woken = false
  let endWait = () => {}
  return {
    wake: () => {
      woken = true
      endWait()
    },
    wait: (ms: number) =>
      new Promise<void>(resolve => {
        endWait = () => {
          clearTimeout(timer)
          woken = false
          endWait = () => {}
          resolve()
        }
        const timer = setTimeout(endWait, ms)
        if (woken) endWait()
      }),
  }
}
