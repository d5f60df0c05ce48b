import { settings } from './config.ts'

const given = {
  COBRO_ENV: 'production',
  PORT: '0',
  DATABASE_URL: 'postgres://x',
  AMQP_URL: 'amqp://x',
  INTERNAL_JWKS: JSON.stringify({ keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'x', kid: 'k' }] }),
  ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
}
const faultsOf = (more: object) =>
  settings.safeParse({ ...given, ...more }).error?.issues.map(({ path }) => path.join('.'))

test('five attempts, of ten seconds each, go to public addresses alone', () => {
  expect(settings.parse(given)).toMatchObject({
    WEBHOOK_WAITS_MS: [30_000, 120_000, 600_000, 3_600_000],
    WEBHOOK_TIMEOUT_MS: 10_000,
    WEBHOOKS_ALLOW_PRIVATE: false,
  })
})

test('private addresses are for sandboxes', () => {
  expect(faultsOf({ WEBHOOKS_ALLOW_PRIVATE: 'true' })).toEqual(['WEBHOOKS_ALLOW_PRIVATE'])
  expect(faultsOf({ WEBHOOKS_ALLOW_PRIVATE: 'true', COBRO_ENV: 'sandbox' })).toBeUndefined()
})

test.each([
  { WEBHOOK_WAITS_MS: '1,2,3,4,5' },
  { WEBHOOK_WAITS_MS: '-1' },
  { WEBHOOK_TIMEOUT_MS: '60001' },
  { WEBHOOK_TIMEOUT_MS: '0' },
])('%j is beyond what the limits allow', wrong => {
  expect(faultsOf(wrong)?.[0]).toContain(Object.keys(wrong)[0])
})
