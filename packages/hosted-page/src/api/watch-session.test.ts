import { watchSession } from './watch-session.ts'

test('asks ever less often, at least every 5 s, until it is stopped', async () => {
  const waits: number[] = []
  const stopped = new Promise<void>(resolve => {
    let reads = 0
    const stop = watchSession(
      { api: { read: async () => ({ kind: 'unavailable' }) }, wait: async ms => void waits.push(ms) },
      () => {
        reads++
        if (reads < 6) return
        stop()
        resolve()
      },
    )
  })
  await stopped
  expect(waits).toEqual([1000, 1500, 2250, 3375, 5000, 5000])
})

test('does not tell of a read that comes back after it was stopped', async () => {
  let answer: (() => void) | undefined
  const seen: unknown[] = []
  const read = () => new Promise<{ kind: 'not_found' }>(resolve => (answer = () => resolve({ kind: 'not_found' })))
  const stop = watchSession({ api: { read }, wait: async () => undefined }, read => seen.push(read))
  await Promise.resolve()
  await Promise.resolve()
  stop()
  answer?.()
  await Promise.resolve()
  expect(seen).toEqual([])
})
