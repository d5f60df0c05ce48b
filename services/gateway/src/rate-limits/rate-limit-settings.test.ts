import { rateLimit } from './rate-limit-settings.ts'

test('parses a rate limit of calls per seconds', () => {
  expect(rateLimit.parse('1000/10')).toEqual({ calls: 1000, seconds: 10 })
})

test.each(['', '0/10', '10/0', '10', '-1/10', '1.5/10', '10/10s', 'off', '99999999/1'])(
  'rejects %p as a rate limit',
  text => {
    expect(rateLimit.safeParse(text).success).toBe(false)
  },
)
