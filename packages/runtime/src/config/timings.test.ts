import { readTimings } from './timings.ts'

test('the times of the payment protocol are those of production by default', () => {
  const { retry, deadline, response, resolve, check, reverse } = readTimings({})
  expect({ retry, deadline, response, resolve, check, reverse }).toEqual({
    ...{ retry: 5_000, deadline: 20_000, response: 25_000 },
    ...{ resolve: 10_000, check: 30_000, reverse: 60_000 },
  })
})

test('PROTOCOL_TIMINGS replaces single times', () => {
  const timings = readTimings({ COBRO_ENV: 'sandbox', PROTOCOL_TIMINGS: '{"retry":200,"checkAgain":[10,20]}' })
  expect(timings).toEqual({ ...readTimings({}), retry: 200, checkAgain: [10, 20] })
})

test('PROTOCOL_TIMINGS replaces nothing in production', () => {
  expect(readTimings({ COBRO_ENV: 'production', PROTOCOL_TIMINGS: '{"retry":200}' })).toEqual(readTimings({}))
})

test.each([
  ['with a misspelled name', { PROTOCOL_TIMINGS: '{"retries":200}' }, 'retries'],
  ['with a time of zero', { PROTOCOL_TIMINGS: '{"retry":0}' }, 'retry'],
  ['without a delay in a list', { PROTOCOL_TIMINGS: '{"checkAgain":[]}' }, 'checkAgain'],
  ['that is not JSON', { PROTOCOL_TIMINGS: 'fast' }, 'PROTOCOL_TIMINGS: expected JSON'],
])('PROTOCOL_TIMINGS %s is refused', (_how, env, message) => {
  expect(() => readTimings(env)).toThrow(message)
})
