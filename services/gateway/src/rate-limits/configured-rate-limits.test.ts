import { configuredRateLimits } from './configured-rate-limits.ts'
import { defaultRateLimits, rateLimit } from './rate-limit-settings.ts'

const usual = {
  RATE_LIMIT_KEY: rateLimit.parse(defaultRateLimits.key),
  RATE_LIMIT_USER: rateLimit.parse(defaultRateLimits.user),
  RATE_LIMIT_ADDRESS: rateLimit.parse(defaultRateLimits.address),
  RATE_LIMIT_GUESS: rateLimit.parse(defaultRateLimits.guess),
  RATE_LIMIT_LOGIN: rateLimit.parse(defaultRateLimits.login),
}

function saidOf(change: Partial<typeof usual>): unknown[] {
  const said: unknown[] = []
  const warn = (about: unknown) => void said.push(about)
  configuredRateLimits({ ...usual, ...change }, { warn: warn as never })
  return said
}

test('nothing is said of the usual limits, nor of lower ones', () => {
  expect(saidOf({})).toEqual([])
  expect(saidOf({ RATE_LIMIT_KEY: { calls: 1, seconds: 10 } })).toEqual([])
})

test.each([
  ['more calls in the same time', { calls: 21, seconds: 60 }],
  ['the same calls in less time', { calls: 20, seconds: 59 }],
  ['more calls at once, though not on average', { calls: 2_000, seconds: 6_000 }],
])('%s are said aloud, by name', (_what, limit) => {
  expect(saidOf({ RATE_LIMIT_LOGIN: limit })).toEqual([{ raised: ['login'] }])
})
