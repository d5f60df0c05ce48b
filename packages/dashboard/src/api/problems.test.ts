import { ConnectionError, RateLimitError, ServerError, UnavailableError } from '@cobro/sdk/admin'
import { repeatAfterSeconds } from './problems.ts'

const answered = { code: 'any', operationId: 'listTransactions', headers: new Headers() }
const unanswered = new ConnectionError('no connection', { operationId: 'listTransactions', outcomeUnknown: false })

test('a limited call is repeated when the API asks for it', () => {
  const limited = (retryAfterSeconds?: number) => new RateLimitError({ ...answered, status: 429, retryAfterSeconds })
  expect([limited(7), limited(0.2), limited()].map(error => repeatAfterSeconds(error, 3))).toEqual([7, 1, 1])
})

test.each([new UnavailableError({ ...answered, status: 503 }), unanswered])(
  'a call that may succeed in a moment is repeated later and later: %s',
  error => expect([1, 2, 5, 6, 99].map(failures => repeatAfterSeconds(error, failures))).toEqual([2, 4, 32, 60, 60]),
)

test('a call that would fail again is not repeated', () => {
  expect(repeatAfterSeconds(new ServerError({ ...answered, status: 500 }), 1)).toBeUndefined()
  expect(repeatAfterSeconds(new TypeError('a fault of the page'), 1)).toBeUndefined()
})
