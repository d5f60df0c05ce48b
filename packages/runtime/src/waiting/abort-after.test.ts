import { setTimeout as sleep } from 'node:timers/promises'
import { abortAfter } from './abort-after.ts'

test('work that takes longer is aborted with a TimeoutError', async () => {
  const late = abortAfter(5, signal => sleep(10_000, undefined, { signal }))
  await expect(late).rejects.toMatchObject({ name: 'AbortError', cause: { name: 'TimeoutError' } })
})

test('work that ends in time is never aborted, whether it succeeds or fails', async () => {
  const signals: AbortSignal[] = []
  await expect(abortAfter(5, async signal => signals.push(signal))).resolves.toBe(1)
  const failing = abortAfter(5, async signal => {
    signals.push(signal)
    throw new Error('broken')
  })
  await expect(failing).rejects.toThrow('broken')
  await sleep(50)
  expect(signals.map(signal => signal.aborted)).toEqual([false, false])
})
