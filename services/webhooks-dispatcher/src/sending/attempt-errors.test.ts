import { errorCodeOf } from './attempt-errors.ts'

const coded = (code: string) => Object.assign(new Error('x'), { code })

test.each([
  ['timeout', new DOMException('x', 'TimeoutError')],
  ['timeout', coded('UND_ERR_BODY_TIMEOUT')],
  ['connect_timeout', coded('UND_ERR_CONNECT_TIMEOUT')],
  ['connection_refused', new AggregateError([coded('ECONNREFUSED'), coded('ECONNREFUSED')])],
  ['connection_reset', coded('ECONNRESET')],
  ['name_unknown', coded('ENOTFOUND')],
  ['tls_failed', coded('DEPTH_ZERO_SELF_SIGNED_CERT')],
  ['tls_failed', coded('ERR_TLS_CERT_ALTNAME_INVALID')],
  ['tls_failed', coded('CERT_HAS_EXPIRED')],
  ['response_unreadable', coded('UND_ERR_HEADERS_OVERFLOW')],
  ['internal_error', new Error('unexpected')],
  ['internal_error', undefined],
])('a failed webhook request has the error code %s for %p', (code, error) => {
  expect(errorCodeOf(error)).toBe(code)
})
