import { type Environment, secret } from '@cobro/runtime'
import { smtpOptions } from './mail-transport.ts'

const options = (url: string, environment: Environment = 'production') => smtpOptions({ url: secret(url), environment })

test.each([
  ['smtp://mail.example.com:587', 'production', { secure: false, requireTLS: true }],
  ['smtps://mail.example.com', 'production', { secure: true, requireTLS: false }],
  ['smtp://127.0.0.1:25', 'production', { secure: false, requireTLS: false }],
  ['smtp://[::1]', 'production', { secure: false, requireTLS: false, host: '::1' }],
  ['smtp://127.0.0.1.example.com', 'production', { secure: false, requireTLS: true }],
  ['smtp://mail.example.com', 'sandbox', { secure: false, requireTLS: false }],
] as const)('knows whether mails to %s in %s need TLS', (url, environment, expected) => {
  expect(options(url, environment)).toMatchObject(expected)
})

test('decodes the login of a mail server, and reads no file or address that a mail names', () => {
  const { auth, port, disableFileAccess, disableUrlAccess } = options(
    'smtps://ana%40example.com:p%3Aw@mail.example.com:2465',
  )
  expect([auth, port]).toEqual([{ user: 'ana@example.com', pass: 'p:w' }, 2465])
  expect([disableFileAccess, disableUrlAccess]).toEqual([true, true])
})
