import { failureText, isBounce, mailBackoffMs } from './mail-failures.ts'

test('waits a minute before the second attempt to send a mail, and at most six hours', () => {
  expect([1, 2, 3, 9, 10, 500].map(attempt => mailBackoffMs(attempt) / 60_000)).toEqual([1, 2, 4, 256, 360, 360])
})

test.each([
  ['an unknown recipient', { code: 'EENVELOPE', command: 'RCPT TO', permanent: true, responseCode: 550 }, true],
  ['rejected content', { code: 'EMESSAGE', command: 'DATA', permanent: true, responseCode: 554 }, true],
  [
    'no right to relay',
    { command: 'RCPT TO', permanent: true, responseCode: 550, response: '550 5.7.1 denied' },
    false,
  ],
  ['our quota', { command: 'DATA', permanent: true, responseCode: 552, response: '552 5.2.2 full' }, false],
  ['a full mailbox', { code: 'EENVELOPE', command: 'RCPT TO', permanent: false, responseCode: 452 }, false],
  ['a rejected login', { code: 'EAUTH', command: 'AUTH PLAIN', permanent: true, responseCode: 535 }, false],
  ['a rejected sender', { code: 'EENVELOPE', command: 'MAIL FROM', permanent: true, responseCode: 550 }, false],
  ['a server that is away', { code: 'ESOCKET' }, false],
])('knows whether %s is a bounce', (_what, error, bounced) => {
  expect(isBounce(error)).toBe(bounced)
})

test('records the codes of a failed attempt, and no text of the server', () => {
  const error = { code: 'EENVELOPE', responseCode: 550, command: 'RCPT TO', message: '550 ana@example.com is unknown' }
  expect(failureText(error)).toBe('EENVELOPE 550 RCPT TO')
  expect(failureText(new Error('ana@example.com'))).toBe('unknown')
})
