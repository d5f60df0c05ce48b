import { maxAttempts, outcomeOf } from './attempt-outcome.ts'

const waitsMs = [30_000, 120_000, 600_000, 3_600_000]
const nowMs = Date.parse('2026-03-01T12:00:00Z')
const outcome = (attempt: number, status_code: number | null, retry_after: string | null = null, jitter = 0) =>
  outcomeOf({ number: attempt, oneShot: false }, { status_code, retry_after }, { waitsMs, nowMs, jitter })

test.each([200, 201, 202, 204, 299])('%d acknowledges, at whichever attempt', status => {
  expect(outcome(1, status)).toEqual({ kind: 'succeeded' })
  expect(outcome(5, status)).toEqual({ kind: 'succeeded' })
})

test.each([null, 100, 301, 302, 400, 401, 404, 408, 429, 500, 503])(
  '%p is tried again after growing waits, then used up',
  status => {
    expect([1, 2, 3, 4, 5].map(attempt => outcome(attempt, status))).toEqual([
      ...waitsMs.map(waitMs => ({ kind: 'retry', waitMs })),
      { kind: 'exhausted' },
    ])
    expect(maxAttempts(waitsMs)).toBe(5)
  },
)

test('410 ends it at once', () => {
  expect([outcome(1, 410), outcome(5, 410)]).toEqual([{ kind: 'gone' }, { kind: 'gone' }])
})

test.each([
  [0, 30_000],
  [0.5, 31_500],
  [1, 33_000],
])('with jitter %d the first wait is %d ms', (jitter, waitMs) => {
  expect(outcome(1, 500, null, jitter)).toEqual({ kind: 'retry', waitMs })
})

test.each([
  ['a longer time in seconds is honoured', 429, '60', 60_000],
  ['as it is on 503', 503, '90', 90_000],
  ['a shorter one is not', 429, '5', 30_000],
  ['an hour is the most', 503, '86400', 3_600_000],
  ['more digits than a number holds are an hour', 503, '9'.repeat(400), 3_600_000],
  ['a date is honoured', 503, 'Sun, 01 Mar 2026 12:02:00 GMT', 120_000],
  ['a date in the past is not', 503, 'Sun, 01 Mar 2026 11:00:00 GMT', 30_000],
  ['nonsense is not', 429, 'soon', 30_000],
  ['a negative number is not', 429, '-60', 30_000],
  ['an empty text is not', 429, '', 30_000],
  ['on another status it means nothing', 500, '60', 30_000],
])('Retry-After: %s', (_what, status, header, waitMs) => {
  expect(outcome(1, status, header)).toEqual({ kind: 'retry', waitMs })
})

test.each([
  [200, 'succeeded'],
  [410, 'gone'],
  [500, 'failed'],
  [null, 'failed'],
])('an attempt that was asked for by hand and came to %p is not repeated: %s', (status_code, kind) => {
  const result = { status_code, retry_after: '60' }
  expect(outcomeOf({ number: 3, oneShot: true }, result, { waitsMs, nowMs, jitter: 0 })).toEqual({ kind })
})

test('Retry-After gives no further attempt', () => {
  expect(outcome(5, 503, '60')).toEqual({ kind: 'exhausted' })
})
