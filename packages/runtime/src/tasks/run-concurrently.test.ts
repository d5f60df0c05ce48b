import { createLogger } from '../observability/logger.ts'
import { runConcurrently } from './run-concurrently.ts'

const options = { concurrency: 3, name: 'test', logger: createLogger('test', 'silent') }

test('runs the work on every item, at most three at a time, and counts those that succeed', async () => {
  let running = 0
  let most = 0
  const seen: number[] = []
  const succeeded = await runConcurrently([1, 2, 3, 4, 5, 6, 7], options, async item => {
    most = Math.max(most, ++running)
    await new Promise(resolve => setImmediate(resolve))
    running -= 1
    seen.push(item)
    if (item % 3 === 0) throw new Error('no')
  })
  expect([seen.toSorted(), most, succeeded]).toEqual([[1, 2, 3, 4, 5, 6, 7], 3, 5])
})

test('rejects after an unavailable database only once the work in flight has ended', async () => {
  const error = new Error('no database')
  const ended: number[] = []
  const running = runConcurrently(
    [1, 2, 3, 4, 5],
    { ...options, isUnavailable: seen => seen === error },
    async item => {
      if (item === 1) throw error
      for (let turns = 0; turns < item; turns++) await new Promise(resolve => setImmediate(resolve))
      ended.push(item)
    },
  )
  await expect(running).rejects.toBe(error)
  expect(ended).toEqual([2, 3])
})
