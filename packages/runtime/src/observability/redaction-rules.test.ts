import { timeGrowth } from '@cobro/testing/time-growth'
import { redact, redactText } from './redaction-rules.ts'

test.each([
  ['{"msg":"paid 4242424242424242"}', '{"msg":"paid [card]"}'],
  ['key vk_test_abcdefghijklmnopqrstuvwxyz012345abcdef used', 'key vk_test_[secret] used'],
  ['token vrt_3q2-7wAbCdEf_x used', 'token vrt_[secret] used'],
  ['{"setup_token":"vst_3q2-7wAbCdEf_x"}', '{"setup_token":"vst_[secret]"}'],
  ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_[secret]'],
  ['Authorization: Bearer eyJhbGciOi.J9eyJzdW.IiOiIxMj', 'Authorization: Bearer [secret]'],
  ['Token vk_live_abcdefghijklmnop', 'Token vk_live_[secret]'],
  ['cannot reach postgres://cobro:hunter2@db:5432/cobro', 'cannot reach postgres://[secret]@db:5432/cobro'],
  ['cannot reach amqp://cobro:a/b@c@mq:5672', 'cannot reach amqp://[secret]@mq:5672'],
  ['GET https://me:hunter2@shop.mx/hook', 'GET https://[secret]@shop.mx/hook'],
  ['GET https://shop.mx/@me?to=a@b.mx', 'GET https://shop.mx/@me?to=a@b.mx'],
  ['key:\\nvk_test_abcdefghijklmnop', 'key:\\nvk_test_[secret]'],
  ['at\\npostgres://cobro:hunter2@db', 'at\\npostgres://[secret]@db'],
  ['\\u00004242424242424242\\u0000', '\\u0000[card]\\u0000'],
  ['token eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ1c3IifQ.c2ln of', 'token [secret] of'],
  ['Authorization: Basic bWU6aHVudGVyMg==', 'Authorization: Basic [secret]'],
  ['"err":"authorization: bearer hunter2\\nHost: a"', '"err":"authorization: [secret]"'],
  ["{ authorization: 'hunter2 hunter2' }", "{ authorization: '[secret]"],
  ['{"headers":{"Authorization":"hunter2","host":"a"}}', '{"headers":{"Authorization":"[secret]","host":"a"}}'],
  ['["Cookie","a=hunter2","Host","a"]', '["Cookie","[secret]","Host","a"]'],
  ['{"set-cookie":["a=hunter2"]}', '{"set-cookie":["[secret]"]}'],
  ['{"refresh_token":"hunter\\"2","a":1}', '{"refresh_token":"[secret]","a":1}'],
  ['{"body":"{\\"password\\":\\"hunter2\\"}"}', '{"body":"{\\"password\\":\\"[secret]"}'],
  ['{"type":"Buffer","data":[1,20,255]}', '"[secret]"'],
  ['{"key":"pay_1","secret":true,"id":"k1"}', '{"key":"pay_1","secret":true,"id":"k1"}'],
  ['{"path":"/api/auth/password","status_code":200}', '{"path":"/api/auth/password","status_code":200}'],
  [String.raw`{"msg":"4242\t4242\t4242\t4242"}`, '{"msg":"[card]"}'],
  ['{"msg":"4242.4242.4242.4242"}', '{"msg":"[card]"}'],
  ['{"msg":"４２４２ ４２４２ ４２４２ ４２４２"}', '{"msg":"[card]"}'],
  ['{"msg":"42424242424242421228"}', '{"msg":"[card]1228"}'],
  ['{"cvv2":"123","a":1}', '{"cvv2":"[secret]","a":1}'],
  ['{"cvv":123,"cvc2":4567,"a":1}', '{"cvv":"[secret]","cvc2":"[secret]","a":1}'],
  ['{"track1":"%B6799990100000000^DOE"}', '{"track1":"[secret]"}'],
  ['{"type":"Buffer","data":[4242,4242,4242,4242]}', '"[secret]"'],
  [
    '{"id":"req_01jd0000000000000000000cvv","merchant_id":"mrc_01jd0000000000000000000jwe","a":"b"}',
    '{"id":"req_01jd0000000000000000000cvv","merchant_id":"mrc_01jd0000000000000000000jwe","a":"b"}',
  ],
  [
    String.raw`{"body":"{\"id\":\"req_01jd0000000000000000000cvc\",\"a\":\"b\",\"card_cvc\":\"123\"}"}`,
    String.raw`{"body":"{\"id\":\"req_01jd0000000000000000000cvc\",\"a\":\"b\",\"card_cvc\":\"[secret]"}`,
  ],
  ['nothing secret: req_01jd0000000000000000000000', 'nothing secret: req_01jd0000000000000000000000'],
])('the text %s is redacted as %s', (line, expected) => {
  expect(redact(line)).toBe(expected)
  // redactText checks the text cheaply first, and that check must not miss a secret.
  expect(redactText(line)).toBe(expected)
})

test.each(['eyJ', 'postgres://', '://', 'vk_test_', 'authorization: ', 'token":"', '4242 ', '6-', '6.', '\\u0041'])(
  'redacting a long line of %s takes linear time',
  part => {
    // Unbounded repetitions would make it quadratic.
    expect(timeGrowth(100_000, size => redact(part.repeat(size / part.length)))).toBeLessThan(10)
  },
)

test('short texts are redacted the same each time, whatever was redacted before', () => {
  const texts = Array.from({ length: 1_500 }, (_, n) => (n % 3 === 0 ? `Bearer abcdefghijkl${n}` : `harmless ${n}`))
  const expected = texts.map(text => text.replace(/^Bearer .*/, 'Bearer [secret]'))
  expect(texts.map(redactText)).toEqual(expected)
  expect(texts.map(redactText)).toEqual(expected)
})
