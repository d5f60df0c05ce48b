import { setTimeout as sleep } from 'node:timers/promises'
import { atMost, oneByOne } from './take-turns.ts'

/** Runs work through `run` and tells how much of it ran at the same time at most. */
async function busiest(run: (index: number, work: () => Promise<void>) => Promise<void>, count: number) {
  let running = 0
  let most = 0
  const work = async () => {
    most = Math.max(most, ++running)
    await sleep(2)
    running--
  }
  await Promise.all(Array.from({ length: count }, (_, index) => run(index, work)))
  return most
}

test('runs no more at a time than the limit', async () => {
  const inTurn = atMost(2)
  expect(await busiest((_index, work) => inTurn(work), 7)).toBe(2)
  expect(await busiest((_index, work) => inTurn(work), 7)).toBe(2)
})

test('goes on after a failure', async () => {
  const inTurn = atMost(1)
  await expect(inTurn(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await inTurn(async () => 'yes')).toBe('yes')
})

test('runs the work of one key one by one, that of others beside it', async () => {
  const inTurn = oneByOne()
  expect(await busiest((_index, work) => inTurn('a', work), 5)).toBe(1)
  expect(await busiest((index, work) => inTurn(String(index % 2), work), 6)).toBe(2)
})
