import { recordedText, recordedUserAgent, redactRecordedText } from './redact-recorded-text.ts'

/** Text as Node reads it from the head of a request. */
const sent = (text: string) => Buffer.from(text).toString('latin1')

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64)', 'Mozilla/5.0 (X11; Linux x86_64)'],
  ['shop/1.0 4242.4242.4242.4242', 'shop/1.0 [card]'],
  ['４２４２ ４２４２ ４２４２ ４２４２ ok', '[card] ok'],
  ['4242\u00a04242\u00a04242\u00a04242', '[card]'],
  ['4242–4242–4242–4242 café', '[card] caf%C3%A9'],
  ['%34%32%34%32%34%32%34%32%34%32%34%32%34%32%34%32 50%', '[card] 50%'],
  ['curl/8 100%', 'curl/8 100%'],
  ['42424242424242421228', '[card]1228'],
])('records the user agent %j as %j', (agent, expected) => {
  expect(recordedUserAgent(sent(agent))).toBe(expected)
})

test('records the first characters of a text and reads little more', () => {
  const read: number[] = []
  const agent = recordedText('6-'.repeat(8_000), 512, text => {
    read.push(text.length)
    return redactRecordedText(text)
  })
  expect(agent).toBe('6-'.repeat(256))
  expect(Math.max(...read)).toBeLessThan(2_000)
})
