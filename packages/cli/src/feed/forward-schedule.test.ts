import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { nextStep, retryDelaysMs } from './forward-schedule.ts'

const after = (attempts: number, status: number | null, retry_after?: string, timeScale: number | undefined = 1) =>
  nextStep({ status, ...(retry_after !== undefined && { retry_after }) }, { attempts, timeScale, nowMs: 0 })

test('the delays are those that the dispatcher of webhooks has by default', () => {
  const settings = join(import.meta.dirname, '../../../../services/webhooks-dispatcher/.env.example')
  expect(readFileSync(settings, 'utf8')).toContain(`# WEBHOOK_RETRY_DELAYS_MS=${retryDelaysMs.join(',')}\n`)
})

test('a failed event is sent five times, and a 410 ends it', () => {
  expect([1, 2, 3, 4, 5].map(attempt => after(attempt, null))).toEqual([
    ...retryDelaysMs.map(delayMs => ({ delayMs })),
    'given up',
  ])
  expect([after(1, 204), after(5, 200), after(1, 410)]).toEqual(['delivered', 'delivered', 'given up'])
})

test.each([
  [503, '60', 60_000],
  [503, '5', 30_000],
  [429, 'Thu, 01 Jan 1970 00:02:00 GMT', 120_000],
  [429, '86400', 3_600_000],
  [429, 'soon', 30_000],
  [500, '60', 30_000],
])('an answer of %d with Retry-After %s waits %d ms', (status, header, delayMs) => {
  expect(after(1, status, header)).toEqual({ delayMs })
})

test('the schedule can be shortened, and without it an event is sent once', () => {
  expect(after(1, 500, undefined, 0.01)).toEqual({ delayMs: 300 })
  const once = { attempts: 1, timeScale: undefined, nowMs: 0 }
  expect(nextStep({ status: 500 }, once)).toBe('given up')
})
