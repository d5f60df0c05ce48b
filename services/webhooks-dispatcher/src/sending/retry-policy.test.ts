import { decideOutcome, maxAttempts } from './retry-policy.ts'

const retryDelaysMs = [30_000, 120_000, 600_000, 3_600_000]
const nowMs = Date.parse('2026-03-01T12:00:00Z')
const outcome = (attempt: number, status_code: number | null, retry_after: string | null = null, jitter = 0) =>
  decideOutcome({ number: attempt, oneShot: false }, { status_code, retry_after }, { retryDelaysMs, nowMs, jitter })

test.each([200, 201, 202, 204, 299])('a webhook answered with %d has succeeded, at any attempt', status => {
  expect(outcome(1, status)).toEqual({ kind: 'succeeded' })
  expect(outcome(5, status)).toEqual({ kind: 'succeeded' })
})

test.each([null, 100, 300, 301, 302, 400, 401, 404, 408, 429, 500, 503])(
  'a webhook answered with %p is retried after growing delays and exhausted after five attempts',
  status => {
    expect([1, 2, 3, 4, 5].map(attempt => outcome(attempt, status))).toEqual([
      ...retryDelaysMs.map(delayMs => ({ kind: 'retry', delayMs })),
      { kind: 'exhausted' },
    ])
    expect(maxAttempts(retryDelaysMs)).toBe(5)
  },
)

test('a webhook answered with 410 is never retried', () => {
  expect([outcome(1, 410), outcome(5, 410)]).toEqual([{ kind: 'gone' }, { kind: 'gone' }])
})

test.each([
  [0, 30_000],
  [0.5, 31_500],
  [1, 33_000],
])('with jitter %d the first retry delay is %d ms', (jitter, delayMs) => {
  expect(outcome(1, 500, null, jitter)).toEqual({ kind: 'retry', delayMs })
})

test.each([
  ['a longer time in seconds is used', 429, '60', 60_000],
  ['a longer time in seconds is used with 503 too', 503, '90', 90_000],
  ['a shorter time is ignored', 429, '5', 30_000],
  ['a day is cut to an hour', 503, '86400', 3_600_000],
  ['a number with 400 digits is cut to an hour', 503, '9'.repeat(400), 3_600_000],
  ['a date is used', 503, 'Sun, 01 Mar 2026 12:02:00 GMT', 120_000],
  ['a date in the past is ignored', 503, 'Sun, 01 Mar 2026 11:00:00 GMT', 30_000],
  ['a value that is neither a number nor a date is ignored', 429, 'soon', 30_000],
  ['a negative number is ignored', 429, '-60', 30_000],
  ['an empty value is ignored', 429, '', 30_000],
  ['a number in another notation is ignored', 429, '1e3', 30_000],
  ['a hexadecimal number is ignored', 429, '0x60', 30_000],
  ['any value is ignored with another status', 500, '60', 30_000],
])('the retry delay follows Retry-After: %s', (_case, status, header, delayMs) => {
  expect(outcome(1, status, header)).toEqual({ kind: 'retry', delayMs })
})

test.each([
  [200, 'succeeded'],
  [410, 'gone'],
  [500, 'failed'],
  [null, 'failed'],
])('a test or redelivery answered with %p is not retried: %s', (status_code, kind) => {
  const reply = { status_code, retry_after: '60' }
  expect(decideOutcome({ number: 3, oneShot: true }, reply, { retryDelaysMs, nowMs, jitter: 0 })).toEqual({ kind })
})

test('Retry-After does not add an attempt to an exhausted delivery', () => {
  expect(outcome(5, 503, '60')).toEqual({ kind: 'exhausted' })
})
