import {
  isDatabaseUnavailable,
  isProtocolViolation,
  isRetryable,
  isStatementTimeout,
  violatesConstraint,
} from './database-errors.ts'

const fault = (code: string, more: object = {}) => Object.assign(new Error('fault'), { code, ...more })
const unsupportedParameter = fault('08P01', { message: 'unsupported startup parameter: lock_timeout' })

test.each([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  '57P01',
  '57P02',
  '57P03',
  '53300',
  '53100',
  '53200',
  '58030',
  '25006',
  '55P03',
  '25P03',
  '08006',
  '08001',
  'CERT_HAS_EXPIRED',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])('the error code %s means that the database is unavailable', code => {
  expect(isDatabaseUnavailable(fault(code))).toBe(true)
  expect(isDatabaseUnavailable(new Error('wrapped', { cause: new Error('twice', { cause: fault(code) }) }))).toBe(true)
  expect(isDatabaseUnavailable(new AggregateError([fault('EOTHER'), fault(code)]))).toBe(true)
})

test.each([
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'timeout exceeded when trying to connect',
  'Client has encountered a connection error and is not queryable',
])('the driver error "%s" means that the database is unavailable', text => {
  expect(isDatabaseUnavailable(new Error(text))).toBe(true)
})

test('an error of PgBouncer, which names no routine, means that the database is unavailable', () => {
  expect(isDatabaseUnavailable(fault('08P01'))).toBe(true)
  expect(isProtocolViolation(fault('08P01'))).toBe(false)
  expect(isProtocolViolation(unsupportedParameter)).toBe(true)
})

test.each([
  fault('23505'),
  fault('40P01'),
  fault('42P01'),
  fault('57014'),
  fault('08P01', { routine: 'exec_bind_message' }),
  unsupportedParameter,
  fault('08P01', { message: 'query timeout' }),
  fault('08P01', { message: 'transaction timeout' }),
  new Error('no'),
  'ECONNREFUSED',
  null,
  undefined,
])('the error %p does not mean that the database is unavailable', error => {
  expect(isDatabaseUnavailable(error)).toBe(false)
})

test('deadlocks and serialization failures are retryable, rejections are not', () => {
  expect(['40P01', '40001', '23505', '57P01'].map(code => isRetryable(new Error('x', { cause: fault(code) })))).toEqual(
    [true, true, false, false],
  )
})

test('violatesConstraint recognizes a unique violation by its constraint', () => {
  const error = new Error('x', { cause: fault('23505', { constraint: 'terminales_serial' }) })
  expect(violatesConstraint(error, 'terminales_serial')).toBe(true)
  expect(violatesConstraint(error, 'terminales_pkey')).toBe(false)
  expect(violatesConstraint(fault('23503', { constraint: 'terminales_serial' }), 'terminales_serial')).toBe(false)
})

test('an error that is its own cause does not cause an endless loop', () => {
  const error = new Error('x')
  error.cause = error
  expect(isDatabaseUnavailable(error)).toBe(false)
})

test('isStatementTimeout is true for a cancelled statement and false for a terminated connection or a deadlock', () => {
  expect(['57014', '57P01', '40P01'].map(code => isStatementTimeout(new Error('x', { cause: fault(code) })))).toEqual([
    true,
    false,
    false,
  ])
})
