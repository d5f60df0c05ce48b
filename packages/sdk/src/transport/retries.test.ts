import { apiErrorOf } from './api-error-of.ts'
import { type CobroError, ConnectionError, TimeoutError } from './errors.ts'
import type { OperationRow } from './operation-row.ts'
import { mayRepeat, pause, pauseMs } from './retries.ts'

const call = (method: OperationRow[1], idempotencyKey?: string) => ({
  operation: ['anOperation', method, '/api/things'] as OperationRow,
  idempotencyKey,
})
const read = call('GET')
const keyed = call('POST', 'a key')
const keyless = call('POST')
const change = call('PUT')
const removal = call('DELETE')
const all = { read, keyed, keyless, change, removal }
const answered = (status: number, retryAfterSeconds?: number) =>
  apiErrorOf({ status, code: 'a_code', operationId: 'anOperation', headers: new Headers(), retryAfterSeconds })
const lost = (outcomeUnknown: boolean) => new ConnectionError('lost', { operationId: 'anOperation', outcomeUnknown })

const safe = ['read', 'keyed', 'change']
const every = Object.keys(all)

test.each<[string, CobroError, string[]]>([
  ['429', answered(429), every],
  ['429 for a minute', answered(429, 60), every],
  ['429 for longer', answered(429, 61), []],
  ['503', answered(503), safe],
  ['500', answered(500), safe],
  ['504', answered(504), safe],
  ['409', answered(409), []],
  ['409 that asks to wait', answered(409, 1), ['keyed']],
  ['no connection', lost(false), every],
  ['a connection that is lost after sending', lost(true), safe],
  ['no answer in time', new TimeoutError('late', { operationId: 'anOperation', outcomeUnknown: true }), safe],
  ...[301, 400, 401, 402, 403, 404, 410, 422, 502].map((status): [string, CobroError, string[]] => [
    String(status),
    answered(status),
    [],
  ]),
])('after %s only those calls are repeated that stay without a second effect', (_name, error, expected) => {
  const repeated = Object.entries(all).filter(([, one]) => mayRepeat(one, error))
  expect(repeated.map(([name]) => name)).toEqual(expected)
})

test('pauses grow to 8 s at most, and are what the API asks for where it asks', () => {
  for (let attempt = 1; attempt <= 10; attempt++) {
    const longest = Math.min(8_000, 500 * 2 ** (attempt - 1))
    const pauses = Array.from({ length: 200 }, () => pauseMs(attempt, lost(false)))
    expect(Math.max(...pauses)).toBeLessThanOrEqual(longest)
    expect(Math.max(...pauses)).toBeGreaterThan(longest / 2)
    expect(Math.min(...pauses)).toBeLessThan(longest / 2)
  }
  expect(pauseMs(1, answered(429, 7))).toBe(7_000)
})

test('a pause ends when its signal aborts', async () => {
  await expect(pause(60_000, AbortSignal.abort('enough'))).rejects.toBe('enough')
  const controller = new AbortController()
  const paused = pause(60_000, controller.signal)
  controller.abort('enough')
  await expect(paused).rejects.toBe('enough')
})
