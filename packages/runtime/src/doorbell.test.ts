import { doorbell } from './doorbell.ts'

/** How long a wait took, to tenths of a second. */
async function waited(wait: Promise<void>): Promise<number> {
  const before = performance.now()
  await wait
  return Math.floor((performance.now() - before) / 100)
}

test('a ring ends the wait; without one time does', async () => {
  const bell = doorbell()
  setImmediate(bell.ring)
  expect(await waited(bell.wait(60_000))).toBe(0)
  expect(await waited(bell.wait(120))).toBe(1)
})

test('a ring while nobody waits is remembered, once', async () => {
  const bell = doorbell()
  bell.ring()
  bell.ring()
  expect(await waited(bell.wait(60_000))).toBe(0)
  expect(await waited(bell.wait(120))).toBe(1)
})
