import { readConfig } from '@cobro/runtime'
import { rejectedSettings, safeSettings, signingKeys, testProductionSettings, unsafeSettings } from '@cobro/testing'
import { settings } from './config.ts'

const rejected = (env: Record<string, string | undefined>) => rejectedSettings(() => readConfig(settings, env))

const urls = [
  'PUBLIC_URL',
  'HOSTED_URL',
  'CHECKOUT_URL',
  'TRANSACTIONS_URL',
  'WEBHOOKS_URL',
  'AUDIT_URL',
  'CORS_ORIGINS',
]
const urlSettings = (url: string) => Object.fromEntries(urls.map(name => [name, url]))
const safe = {
  ...safeSettings,
  ...urlSettings('https://cobro.example'),
  INTERNAL_SIGNING_KEY: signingKeys.safe,
  API_KEY_PEPPERS: String(safeSettings.ENCRYPTION_KEYS),
  COBRO_TRUST_INBOUND_TRACE: 'false',
  SPOOL_DIR: '/var/lib/cobro/spool',
  TRUSTED_PROXIES: '10.0.0.0/8',
}
const unsafe = {
  ...unsafeSettings,
  ...urlSettings('http://127.0.0.1:4000'),
  INTERNAL_SIGNING_KEY: signingKeys.unsafe,
  API_KEY_PEPPERS: String(unsafeSettings.ENCRYPTION_KEYS),
  SPOOL_DIR: '/var/lib/cobro/spool',
}

testProductionSettings(env => readConfig(settings, env), {
  safe,
  unsafe,
  names: [
    'AMQP_URL',
    'API_KEY_PEPPERS',
    'AUDIT_URL',
    'CHECKOUT_URL',
    'COBRO_TRUST_INBOUND_TRACE',
    'CORS_ORIGINS',
    'DATABASE_URL',
    'ENCRYPTION_KEYS',
    'HOSTED_URL',
    'INTERNAL_SIGNING_KEY',
    'PUBLIC_URL',
    'TRANSACTIONS_URL',
    'TRUSTED_PROXIES',
    'WEBHOOKS_URL',
  ],
})

test('TRUSTED_PROXIES=none trusts no proxy, and is allowed in production', () => {
  expect(readConfig(settings, { ...safe, TRUSTED_PROXIES: 'none' }).TRUSTED_PROXIES).toEqual([])
})

test.each(['10.0.0.0', '10.0.0.0/33', 'everyone'])('TRUSTED_PROXIES=%s is rejected, because it is no CIDR', range => {
  expect(() => readConfig(settings, { ...safe, TRUSTED_PROXIES: `10.1.0.0/16,${range}` })).toThrow(
    'TRUSTED_PROXIES: expected CIDRs such as 10.0.0.0/8',
  )
})

test.each(['https://pay.example.com/pages', 'pay.example.com', 'ftp://pay.example.com'])(
  'HOSTED_URL=%s is rejected, because it is no origin',
  url => {
    expect(() => readConfig(settings, { ...safe, HOSTED_URL: url })).toThrow(/^ {2}HOSTED_URL: /m)
  },
)

test('TRACE_URL is rejected without {trace_id}, and if it is no web address', () => {
  const read = (url: string) => readConfig(settings, { ...safe, TRACE_URL: url }).TRACE_URL
  expect(read('http://localhost:16686/trace/{trace_id}')).toBe('http://localhost:16686/trace/{trace_id}')
  expect(() => read('http://localhost:16686/trace/')).toThrow('TRACE_URL: expected {trace_id} in the URL')
  expect(() => read('javascript:{trace_id}')).toThrow('TRACE_URL: ')
})

test.each(['*', 'dashboard.example.com', 'https://dashboard.example.com/', 'ftp://dashboard.example.com'])(
  'CORS_ORIGINS=%s is rejected, because browsers send no such origin',
  origin => {
    expect(() => readConfig(settings, { ...safe, CORS_ORIGINS: `https://a.example,${origin}` })).toThrow(
      'CORS_ORIGINS: expected origins such as https://dashboard.example.com',
    )
  },
)

test('the gateway needs no certificate in production, because proxies terminate TLS', () => {
  expect(rejected({ ...safe, TLS_CERT_FILE: '', TLS_KEY_FILE: '' })).toEqual([])
})

test.each([
  ['SMTP_URL', 'https://smtp.example.com'],
  ['SMTP_URL', 'smtp://'],
  ['SMTP_URL', 'smtp://smtp.example.com?tls.rejectUnauthorized=false'],
  ['MAIL_FROM', 'Cobro'],
  ['MAIL_FROM', 'Cobro\r\nBcc: x <no-reply@example.com>'],
  ['MAIL_DIR', '/var/mail'],
])('production rejects %s=%s', (name, value) => {
  expect(
    rejected({ ...safe, SMTP_URL: 'smtps://u:p@smtp.example.com', MAIL_FROM: 'a@example.com', [name]: value }),
  ).toEqual([name])
})

test('a mail server needs a sender in production', () => {
  expect(rejected({ ...safe, SMTP_URL: 'smtps://smtp.example.com' })).toEqual(['MAIL_FROM'])
  const mail = { SMTP_URL: 'smtps://u:p@smtp.example.com', MAIL_FROM: 'Café Cobro <no-reply@example.com>' }
  const config = readConfig(settings, { ...safe, ...mail })
  expect(config.MAIL_FROM).toEqual({ name: 'Café Cobro', address: 'no-reply@example.com' })
  expect(JSON.stringify(config)).not.toContain('u:p')
})
