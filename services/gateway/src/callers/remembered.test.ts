import { setTimeout as sleep } from 'node:timers/promises'
import { remembered } from './remembered.ts'

function counting(ms: number) {
  let loads = 0
  const look = remembered({
    ms,
    load: async (key: string) => {
      loads++
      await sleep(1)
      if (key === 'bad') throw new Error('away')
      return `${key}${loads}`
    },
  })
  return { look, loads: () => loads }
}

test('asks once while what it got is fresh, also for those who ask meanwhile', async () => {
  const { look, loads } = counting(60_000)
  expect(await Promise.all([look('a'), look('a')])).toEqual(['a1', 'a1'])
  expect(await look('a')).toBe('a1')
  expect(await look('b')).toBe('b2')
  expect(loads()).toBe(2)
})

test('asks again once it is no longer fresh', async () => {
  const { look } = counting(0)
  expect([await look('a'), await look('a')]).toEqual(['a1', 'a2'])
})

test('does not remember a failure', async () => {
  const { look, loads } = counting(60_000)
  await expect(look('bad')).rejects.toThrow('away')
  await expect(look('bad')).rejects.toThrow('away')
  expect(loads()).toBe(2)
})
