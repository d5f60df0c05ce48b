import { wakeSignal } from './wake-signal.ts'

/** Measures how long a wait took, in tenths of a second. */
async function waited(wait: Promise<void>): Promise<number> {
  const before = performance.now()
  await wait
  return Math.floor((performance.now() - before) / 100)
}

test('a wait on a wake signal ends when it is woken, or when its time is up', async () => {
  const signal = wakeSignal()
  setImmediate(signal.wake)
  expect(await waited(signal.wait(60_000))).toBe(0)
  expect(await waited(signal.wait(120))).toBeGreaterThanOrEqual(1)
})

test('a wake signal that is woken while no one waits ends the next wait, and only that one', async () => {
  const signal = wakeSignal()
  signal.wake()
  signal.wake()
  expect(await waited(signal.wait(60_000))).toBe(0)
  expect(await waited(signal.wait(120))).toBeGreaterThanOrEqual(1)
})
