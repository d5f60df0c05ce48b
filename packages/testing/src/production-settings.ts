import { generateKeyPairSync, randomBytes } from 'node:crypto'

const password = randomBytes(18).toString('base64url')
const privateKey = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
const { d: _secret, ...publicKey } = privateKey
const zeros = Buffer.alloc(32)

type Variables = Record<string, string>

/** Variables that are safe in production, for any service. */
export const safeSettings: Variables = {
  COBRO_ENV: 'production',
  PORT: '8080',
  DATABASE_URL: `postgres://cobro_service:${password}@db/cobro?sslmode=verify-full`,
  AMQP_URL: `amqps://cobro_service:${password}@mq`,
  TLS_CERT_FILE: '/run/tls/tls.crt',
  TLS_KEY_FILE: '/run/tls/tls.key',
  INTERNAL_JWKS: JSON.stringify({ keys: [{ ...publicKey, kid: 'k' }] }),
  ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  ACQUIRER_URL: 'https://acquirer.example',
  ACQUIRER_API_KEY: password,
}

/** The same variables as they must not be in production. A sandbox accepts them. */
export const unsafeSettings: Variables = {
  COBRO_ENV: 'production',
  PORT: '8080',
  DATABASE_URL: 'postgres://postgres:postgres@127.0.0.1/cobro',
  AMQP_URL: 'amqp://guest:guest@127.0.0.1',
  INTERNAL_JWKS: JSON.stringify({ keys: [{ ...publicKey, x: zeros.toString('base64url'), kid: 'k' }] }),
  ENCRYPTION_KEYS: `k1:${zeros.toString('base64')}`,
  ACQUIRER_URL: 'http://127.0.0.1:4005',
  ACQUIRER_API_KEY: 'test',
}

/** A private Ed25519 JWK as a setting: a random one, and one whose secret part is all zeros. */
export const signingKeys = {
  safe: JSON.stringify({ ...privateKey, kid: 'k' }),
  unsafe: JSON.stringify({ ...privateKey, d: zeros.toString('base64url'), kid: 'k' }),
}

/** Returns the variables, sorted, that the error of `read` names; none if it does not throw. */
export function rejectedSettings(read: () => unknown): string[] {
  try {
    read()
    return []
  } catch (error) {
    return [...String(error).matchAll(/^ {2}([\w.]+): /gm)].map(([, name]) => String(name)).toSorted()
  }
}

/** Tests that production accepts safe settings, and names each unsafe one, which a sandbox accepts. */
export function testProductionSettings(
  read: (env: Variables) => unknown,
  { safe = safeSettings, unsafe = unsafeSettings, names }: { safe?: Variables; unsafe?: Variables; names: string[] },
): void {
  test('production accepts safe settings and names every unsafe one at once', () => {
    expect(rejectedSettings(() => read(safe))).toEqual([])
    expect(rejectedSettings(() => read(unsafe))).toEqual(names)
    expect(rejectedSettings(() => read({ ...unsafe, COBRO_ENV: 'sandbox' }))).toEqual([])
  })
}
