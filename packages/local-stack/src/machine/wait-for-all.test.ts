import { setTimeout as sleep } from 'node:timers/promises'
import { waitForAll } from './wait-for-all.ts'

test('gives all results in order', async () => {
  expect(await waitForAll([sleep(5, 'slow'), Promise.resolve('quick')])).toEqual(['slow', 'quick'])
})

test('throws the first failure when everything else has ended, and tells of it at once', async () => {
  const events: string[] = []
  const failing = Promise.reject(new Error('broken'))
  const slow = sleep(20).then(() => events.push('slow has ended'))
  await expect(waitForAll([slow, failing], () => events.push('told'))).rejects.toThrow('broken')
  expect(events).toEqual(['told', 'slow has ended'])
})
