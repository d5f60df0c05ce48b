import { clientCaller, keyCaller } from '@cobro/http/test-identity'
import { concurrencyLimit, limitedTogether } from './concurrency-limit.ts'

/** Starts a call that runs until it is released, or fails. */
function running(limit: ReturnType<typeof concurrencyLimit>, caller: string) {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  return { call: limit(caller, () => promise), release: resolve, fail: reject }
}
const rejection = (detail: string) => ({
  message: `rate_limited: ${detail}`,
  headers: { 'Retry-After': '1' },
})

test('a call beyond the limit of its caller is a 429, until one is done or has failed', async () => {
  const limit = concurrencyLimit({ perCaller: 2, what: 'exports at once' })
  const [one, two] = [running(limit, 'a'), running(limit, 'a')]
  await expect(limit('a', async () => 1)).rejects.toMatchObject(rejection('expected at most 2 exports at once'))
  expect(await limit('b', async () => 2)).toBe(2)
  one.fail(new Error('failed'))
  await expect(one.call).rejects.toThrow('failed')
  expect(await limit('a', async () => 3)).toBe(3)
  two.release()
  await two.call
})

test('a call beyond the limit in total is a 429, and a rejected call does not count', async () => {
  const limit = concurrencyLimit({ perCaller: 2, inTotal: 3, what: 'exports at once' })
  const calls = ['a', 'a', 'b'].map(caller => running(limit, caller))
  const total = rejection('expected at most 3 exports at once of all callers')
  for (const caller of ['b', 'c']) await expect(limit(caller, async () => 1)).rejects.toMatchObject(total)
  calls[0]?.release()
  await calls[0]?.call
  expect(await limit('c', async () => 2)).toBe(2)
  for (const { release } of calls) release()
  await Promise.all(calls.map(({ call }) => call))
})

test('the keys of a merchant are limited together, and a user of the merchant separately', () => {
  const merchant = keyCaller().merchant_id
  expect(limitedTogether(keyCaller(merchant))).toBe(limitedTogether(keyCaller(merchant)))
  const [one, other] = [clientCaller(merchant), clientCaller(merchant)].map(limitedTogether)
  expect(new Set([merchant, one, other]).size).toBe(3)
})
