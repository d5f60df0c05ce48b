import { wakeSignal } from './wake-signal.ts'

/** Longer than any test may take: such a wait ends only if it is woken. */
const endless = 3_600_000

/** Measures how long a wait took, in milliseconds. */
async function waited(wait: Promise<void>): Promise<number> {
  const before = performance.now()
  await wait
  return performance.now() - before
}

test('a wait on a wake signal ends when it is woken, or when its time is up', async () => {
  const signal = wakeSignal()
  setImmediate(signal.wake)
  await signal.wait(endless)
  expect(await waited(signal.wait(120))).toBeGreaterThan(100)
})

test('a wake signal that is woken while no one waits ends the next wait, and only that one', async () => {
  const signal = wakeSignal()
  signal.wake()
  signal.wake()
  await signal.wait(endless)
  expect(await waited(signal.wait(120))).toBeGreaterThan(100)
})
