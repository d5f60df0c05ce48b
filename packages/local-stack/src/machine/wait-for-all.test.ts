import { setTimeout as sleep } from 'node:timers/promises'
import { waitForAll } from './wait-for-all.ts'

test('waitForAll returns all results in order', async () => {
  expect(await waitForAll([sleep(5, 'slow'), Promise.resolve('quick')])).toEqual(['slow', 'quick'])
})

test('waitForAll reports a failure at once and rejects after all other promises have settled', async () => {
  const events: string[] = []
  const failing = Promise.reject(new Error('broken'))
  const slow = sleep(20).then(() => events.push('slow finished'))
  await expect(waitForAll([slow, failing], () => events.push('reported'))).rejects.toThrow('broken')
  expect(events).toEqual(['reported', 'slow finished'])
})
