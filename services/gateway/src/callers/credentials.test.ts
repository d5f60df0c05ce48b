import { readCredentials } from './credentials.ts'

const key = { kind: 'key', key: 'vk_test_a' }
const token = { kind: 'token', token: 'a.b.c' }

test.each([
  [{}, { kind: 'none' }],
  [{ authorization: ['Token vk_test_a'] }, key],
  [{ authorization: ['token  vk_test_a'] }, key],
  [{ 'x-api-key': ['vk_test_a'] }, key],
  [{ authorization: ['Bearer a.b.c'] }, token],
  [{ authorization: ['BEARER a.b.c'] }, token],
  [{ authorization: ['Token vk_test_a'], 'x-api-key': ['vk_test_a'] }, key],
  [{ 'x-api-key': ['vk_test_a', 'vk_test_a'] }, key],
])('reads the credential from %j', (headers, expected) => {
  expect(readCredentials(headers)).toEqual(expected)
})

test.each([
  { authorization: ['Token vk_test_a'], 'x-api-key': ['vk_test_b'] },
  { authorization: ['Bearer a.b.c'], 'x-api-key': ['vk_test_a'] },
  { authorization: ['Bearer a.b.c', 'Token vk_test_a'] },
  { 'x-api-key': ['vk_test_a', 'vk_test_b'] },
])('rejects contradicting credentials: %j', headers => {
  expect(() => readCredentials(headers)).toThrow(/^invalid_request: /)
})

test.each(['', 'Token', 'Bearer', 'Token ', 'Basic dTpw', 'vk_test_a', 'Token a b'])(
  'rejects the Authorization header %p',
  value => {
    expect(() => readCredentials({ authorization: [value] })).toThrow('unauthorized')
  },
)
