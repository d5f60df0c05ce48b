import { setTimeout as sleep } from 'node:timers/promises'
import { serializeByKey } from './serialize-by-key.ts'

/** Runs tasks through `run` and returns the largest number that ran at the same time. */
async function maxConcurrency(run: (index: number, task: () => Promise<void>) => Promise<void>, count: number) {
  let running = 0
  let max = 0
  const task = async () => {
    max = Math.max(max, ++running)
    await sleep(2)
    running--
  }
  await Promise.all(Array.from({ length: count }, (_, index) => run(index, task)))
  return max
}

test('runs tasks of one key one after another, each time that the key is used', async () => {
  const serialized = serializeByKey()
  expect(await maxConcurrency((_index, task) => serialized('a', task), 7)).toBe(1)
  expect(await maxConcurrency((_index, task) => serialized('a', task), 7)).toBe(1)
})

test('runs the next task of a key after a task that failed', async () => {
  const serialized = serializeByKey()
  const results = [serialized('a', () => Promise.reject(new Error('no'))), serialized('a', async () => 'yes')]
  expect(await Promise.allSettled(results)).toMatchObject([{ reason: { message: 'no' } }, { value: 'yes' }])
})

test('runs tasks of different keys concurrently', async () => {
  const serialized = serializeByKey()
  expect(await maxConcurrency((index, task) => serialized(String(index % 2), task), 6)).toBe(2)
})
