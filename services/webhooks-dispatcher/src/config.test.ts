import { settings } from './config.ts'

const given = {
  COBRO_ENV: 'production',
  PORT: '0',
  DATABASE_URL: 'postgres://x',
  AMQP_URL: 'amqp://x',
  INTERNAL_JWKS: JSON.stringify({ keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'x', kid: 'k' }] }),
  ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
}
const invalidSettings = (more: object) =>
  settings.safeParse({ ...given, ...more }).error?.issues.map(({ path }) => path.join('.'))

test('by default webhooks get five attempts of ten seconds each and only go to public addresses', () => {
  expect(settings.parse(given)).toMatchObject({
    WEBHOOK_RETRY_DELAYS_MS: [30_000, 120_000, 600_000, 3_600_000],
    WEBHOOK_TIMEOUT_MS: 10_000,
    WEBHOOKS_ALLOW_PRIVATE: false,
  })
})

test('WEBHOOKS_ALLOW_PRIVATE is rejected in production', () => {
  expect(invalidSettings({ WEBHOOKS_ALLOW_PRIVATE: 'true' })).toEqual(['WEBHOOKS_ALLOW_PRIVATE'])
  expect(invalidSettings({ WEBHOOKS_ALLOW_PRIVATE: 'true', COBRO_ENV: 'sandbox' })).toBeUndefined()
})

test.each([
  { WEBHOOK_RETRY_DELAYS_MS: '1,2,3,4,5' },
  { WEBHOOK_RETRY_DELAYS_MS: '-1' },
  { WEBHOOK_TIMEOUT_MS: '60001' },
  { WEBHOOK_TIMEOUT_MS: '0' },
])('the setting %j is rejected as out of range', wrong => {
  expect(invalidSettings(wrong)?.[0]).toContain(Object.keys(wrong)[0])
})
