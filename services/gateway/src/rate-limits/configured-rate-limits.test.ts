import { configuredRateLimits } from './configured-rate-limits.ts'
import { defaultRateLimits, rateLimit } from './rate-limit-settings.ts'

const defaults = {
  RATE_LIMIT_KEY: rateLimit.parse(defaultRateLimits.key),
  RATE_LIMIT_USER: rateLimit.parse(defaultRateLimits.user),
  RATE_LIMIT_ADDRESS: rateLimit.parse(defaultRateLimits.address),
  RATE_LIMIT_GUESS: rateLimit.parse(defaultRateLimits.guess),
  RATE_LIMIT_LOGIN: rateLimit.parse(defaultRateLimits.login),
  RATE_LIMIT_REJECTED: rateLimit.parse(defaultRateLimits.rejected),
}

function warningsFor(change: Partial<typeof defaults>): unknown[] {
  const warnings: unknown[] = []
  const warn = (about: unknown) => void warnings.push(about)
  configuredRateLimits({ ...defaults, ...change }, { warn: warn as never })
  return warnings
}

test('logs nothing for default and lower rate limits', () => {
  expect(warningsFor({})).toEqual([])
  expect(warningsFor({ RATE_LIMIT_KEY: { calls: 1, seconds: 10 } })).toEqual([])
})

test.each([
  ['more calls in the same time', { calls: 21, seconds: 60 }],
  ['the same calls in less time', { calls: 20, seconds: 59 }],
  ['more calls at once, though not on average', { calls: 2_000, seconds: 6_000 }],
])('logs a warning with the name of a rate limit that allows %s', (_what, limit) => {
  expect(warningsFor({ RATE_LIMIT_LOGIN: limit })).toEqual([{ raised: ['login'] }])
})
