import { redact } from './logger.ts'

test.each([
  ['{"msg":"paid 4242424242424242"}', '{"msg":"paid [card]"}'],
  ['key vk_test_abcdefghijklmnopqrstuvwxyz012345abcdef used', 'key vk_test_[secret] used'],
  ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_[secret]'],
  ['Authorization: Bearer eyJhbGciOi.J9eyJzdW.IiOiIxMj', 'Authorization: Bearer [secret]'],
  ['Token vk_live_abcdefghijklmnop', 'Token vk_live_[secret]'],
  ['cannot reach postgres://cobro:hunter2@db:5432/cobro', 'cannot reach postgres://[secret]@db:5432/cobro'],
  ['nothing secret: req_01jd0000000000000000000000', 'nothing secret: req_01jd0000000000000000000000'],
])('%s is logged as %s', (line, expected) => {
  expect(redact(line)).toBe(expected)
})
