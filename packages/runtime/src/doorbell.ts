/** Wakes a loop that sleeps between two looks at what there is to do. */
export interface Doorbell {
  ring(): void
  /** Resolves when somebody rings or time is up. */
  wait(ms: number): Promise<void>
}

/** Makes a doorbell. A ring while nobody waits is remembered. */
export function doorbell(): Doorbell {
  let rung = false
  let wake = () => {}
  return {
    ring: () => {
      rung = true
      wake()
    },
    wait: (ms: number) =>
      new Promise<void>(resolve => {
        const done = () => {
          clearTimeout(timer)
          rung = false
          wake = () => {}
          resolve()
        }
        const timer = setTimeout(done, ms)
        wake = done
        if (rung) done()
      }),
  }
}
