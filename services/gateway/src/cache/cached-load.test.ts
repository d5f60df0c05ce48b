import { setTimeout as sleep } from 'node:timers/promises'
import { cachedLoad } from './cached-load.ts'

function countingLoader(ttlMs: number) {
  let loads = 0
  const get = cachedLoad({
    ttlMs,
    load: async (key: string) => {
      loads++
      await sleep(1)
      if (key === 'bad') throw new Error('unavailable')
      return `${key}${loads}`
    },
  })
  return { get, loads: () => loads }
}

test('loads a cached value once, also for callers that ask while it is being loaded', async () => {
  const { get, loads } = countingLoader(60_000)
  expect(await Promise.all([get('a'), get('a')])).toEqual(['a1', 'a1'])
  expect(await get('a')).toBe('a1')
  expect(await get('b')).toBe('b2')
  expect(loads()).toBe(2)
})

test('loads a cached value again after its time to live', async () => {
  const { get } = countingLoader(5)
  const first = await get('a')
  await sleep(20)
  expect([first, await get('a')]).toEqual(['a1', 'a2'])
})

test('does not cache a failed load', async () => {
  const { get, loads } = countingLoader(60_000)
  await expect(get('bad')).rejects.toThrow('unavailable')
  await expect(get('bad')).rejects.toThrow('unavailable')
  expect(loads()).toBe(2)
})
