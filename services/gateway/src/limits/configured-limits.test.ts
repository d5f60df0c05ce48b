import { configuredLimits } from './configured-limits.ts'
import { defaultLimits, limitText } from './limit-settings.ts'

const usual = {
  RATE_LIMIT_KEY: limitText.parse(defaultLimits.key),
  RATE_LIMIT_USER: limitText.parse(defaultLimits.user),
  RATE_LIMIT_ADDRESS: limitText.parse(defaultLimits.address),
  RATE_LIMIT_GUESS: limitText.parse(defaultLimits.guess),
  RATE_LIMIT_LOGIN: limitText.parse(defaultLimits.login),
}

function saidOf(change: Partial<typeof usual>): unknown[] {
  const said: unknown[] = []
  const warn = (about: unknown) => void said.push(about)
  configuredLimits({ ...usual, ...change }, { warn: warn as never })
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
