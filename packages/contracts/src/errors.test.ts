import { ApiError, type ErrorCode, errorBody, errorStatus } from './errors.ts'
import { declineReasons } from './fields/decline-reasons.ts'

const codes = Object.keys(errorStatus) as ErrorCode[]

test('every error code is lower case with underscores and has an error status', () => {
  for (const code of codes) {
    expect(code).toMatch(/^[a-z_]+$/)
    expect(errorStatus[code]).toBeGreaterThanOrEqual(400)
    expect(errorStatus[code]).toBeLessThan(600)
  }
})

test('the error codes of the API specification have its statuses', () => {
  expect(errorStatus).toMatchObject({
    ...{ invalid_request: 400, unauthorized: 401, forbidden: 403, not_found: 404, method_not_allowed: 405 },
    ...{ conflict: 409, payload_too_large: 413, unsupported_media_type: 415, idempotency_mismatch: 422 },
    ...{ rate_limited: 429, internal_error: 500, processing_error: 502, unavailable: 503, timeout: 504 },
  })
})

test('only decline reasons are 402, and their bodies have `declined`', () => {
  expect(codes.filter(code => errorStatus[code] === 402)).toEqual([...declineReasons])
  for (const code of codes) {
    const body = new ApiError(code, 'detail').body
    expect(body.declined).toBe(errorStatus[code] === 402 ? true : undefined)
    expect(errorBody.parse(body)).toEqual(body)
  }
})

test('the error text starts with the code; a 401 has only the code', () => {
  expect(new ApiError('conflict', 'the session is paid').body).toEqual({ error: 'conflict: the session is paid' })
  expect(new ApiError('conflict').body).toEqual({ error: 'conflict' })
  expect(new ApiError('unauthorized', 'the key ends in 7').body).toEqual({ error: 'unauthorized' })
})

test('the cause of an ApiError is not in its body', () => {
  const cause = new Error('password authentication failed')
  const error = new ApiError('unavailable', undefined, { cause, headers: { 'Retry-After': '1' } })
  expect([error.cause, error.headers, error.status]).toEqual([cause, { 'Retry-After': '1' }, 503])
  expect(JSON.stringify(error.body)).toBe('{"error":"unavailable"}')
})
