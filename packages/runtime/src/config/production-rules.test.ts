import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { internalServiceSettings, jsonText, keyRing, migrationConfig, readConfig } from './config.ts'
import {
  httpsUrls,
  inProduction,
  proxies,
  strongJwks,
  strongToken,
  switchedOff,
  unlessMesh,
} from './production-rules.ts'

const settings = internalServiceSettings.extend({
  KEYS: keyRing,
  SIGNING_KEY: inProduction(jsonText, strongJwks),
  TOKEN: inProduction(z.string(), strongToken),
  UPSTREAM: inProduction(z.url(), unlessMesh('services', httpsUrls)),
  ACQUIRER: inProduction(z.url(), httpsUrls),
  PROXIES: inProduction(z.string().default(''), proxies),
  OPEN: inProduction(z.stringbool().default(false), switchedOff),
})

const zeros = Buffer.alloc(32)
const password = 'vN3x-9qLmT_2'
const privateKey = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })

const safe = {
  COBRO_ENV: 'production',
  PORT: '4001',
  DATABASE_URL: `postgres://cobro_x:${password}@db/cobro?sslmode=verify-full`,
  AMQP_URL: `amqps://cobro_x:${password}@mq`,
  TLS_CERT_FILE: '/run/tls/tls.crt',
  TLS_KEY_FILE: '/run/tls/tls.key',
  KEYS: `k1:${randomBytes(32).toString('base64')}`,
  SIGNING_KEY: JSON.stringify(privateKey),
  TOKEN: randomBytes(18).toString('base64url'),
  UPSTREAM: 'https://checkout:8080',
  ACQUIRER: 'https://acquirer.example',
  PROXIES: 'none',
}

const unsafe = {
  COBRO_ENV: 'production',
  PORT: '4001',
  DATABASE_URL: 'postgres://cobro_x:cobro_x@db/cobro',
  AMQP_URL: 'amqp://guest:guest@mq',
  KEYS: `k1:${zeros.toString('base64')}`,
  SIGNING_KEY: JSON.stringify({ kty: 'OKP', crv: 'Ed25519', d: zeros.toString('base64url') }),
  TOKEN: 'test',
  UPSTREAM: 'http://checkout:8080',
  ACQUIRER: 'http://acquirer.example',
  OPEN: 'true',
  NODE_TLS_REJECT_UNAUTHORIZED: '0',
  PROTOCOL_TIMINGS: '{"retry":200}',
  METRICS_TOKEN: 'metrics',
}

/** Returns the variables, sorted, that the error names. */
function rejected(env: Record<string, string | undefined>): string[] {
  try {
    readConfig(settings, env)
    return []
  } catch (error) {
    return [...String(error).matchAll(/^ {2}([\w.]+): /gm)].map(([, name]) => String(name)).toSorted()
  }
}

test('production names every unsafe, missing and malformed variable at once, without values', () => {
  const names = [
    'DATABASE_URL',
    'AMQP_URL',
    'TLS_CERT_FILE',
    'TLS_KEY_FILE',
    'KEYS',
    'SIGNING_KEY',
    'TOKEN',
    'UPSTREAM',
  ]
  const others = ['ACQUIRER', 'PROXIES', 'OPEN', 'NODE_TLS_REJECT_UNAUTHORIZED', 'PROTOCOL_TIMINGS', 'METRICS_TOKEN']
  expect(rejected(unsafe)).toEqual([...names, ...others].toSorted())
  expect(rejected({ ...unsafe, PORT: 'x', ACQUIRER: 'nowhere' })).toEqual([...names, ...others, 'PORT'].toSorted())
  const { COBRO_ENV: _env, PORT: _port, NODE_TLS_REJECT_UNAUTHORIZED: _zero, OPEN: _true, ...values } = unsafe
  for (const value of Object.values(values)) expect(() => readConfig(settings, unsafe)).not.toThrow(value)
})

test('the sandbox accepts what production rejects', () => {
  expect(rejected({ ...unsafe, COBRO_ENV: 'sandbox' })).toEqual([])
})

test('production accepts safe settings', () => {
  expect(rejected(safe)).toEqual([])
})

test.each([
  ['DATABASE_URL', `postgres://u:${password}@db/cobro?sslmode=require`],
  ['DATABASE_URL', `postgres://u:${password}@db/cobro?sslmode=verify-full&sslmode=no-verify`],
  ['DATABASE_URL', 'postgres://postgres:postgres@db/cobro?sslmode=verify-full'],
  ['DATABASE_URL', 'postgres://cobro_checkout:cobro_checkout@db/cobro?sslmode=verify-full'],
  ['DATABASE_URL', 'postgres://u@db/cobro?sslmode=verify-full'],
  ['DATABASE_URL', 'postgres://u:%23%40%21%24%23%26@db/cobro?sslmode=verify-full'],
  ['DATABASE_URL', 'postgres://postgres:postgres@db/cobro?sslmode=verify-full&sslcert=/c.pem'],
  ['DATABASE_URL', `postgres://u:${password}%@db/cobro?sslmode=verify-full`],
  ['DATABASE_URL', 'nowhere'],
  ['AMQP_URL', `amqp://u:${password}@mq`],
  ['AMQP_URL', 'nowhere'],
  ['AMQP_URL', 'amqps://guest:guest@mq'],
  ['AMQP_URL', 'amqps://mq'],
  ['KEYS', `${safe.KEYS},k0:${zeros.toString('base64')}`],
  [
    'SIGNING_KEY',
    JSON.stringify({ keys: [{ x: randomBytes(32).toString('base64url') }, { x: zeros.toString('base64url') }] }),
  ],
  ['ACQUIRER', 'http://127.0.0.1:4000'],
  ['TOKEN', 'aaaaaaaaaaaaaaaaaaaa'],
  ['PROXIES', '10.0.0.0/8,0.0.0.0/0'],
  ['PROXIES', undefined],
  ['PROXIES', ''],
  ['PROXIES', ' , '],
  ['PROXIES', '0.0.0.0/1,128.0.0.0/1'],
  ['PROXIES', '::/1'],
  ['TLS_KEY_FILE', undefined],
])('production rejects %s=%s', (name, value) => {
  expect(rejected({ ...safe, [name]: value })).toEqual([name])
})

test('production names malformed keys once', () => {
  expect(rejected({ ...safe, KEYS: 'k1', SIGNING_KEY: '{"kty":' })).toEqual(['KEYS.0', 'SIGNING_KEY'])
})

test('a client certificate takes the place of the password of PostgreSQL', () => {
  const url = 'postgres://u@db/cobro?sslmode=verify-full&sslcert=/c.pem&sslkey=/k.pem'
  expect(rejected({ ...safe, DATABASE_URL: url })).toEqual([])
})

test('TLS_BY_MESH allows the connections it names without TLS, and nothing else', () => {
  const plain = {
    ...safe,
    ...{ TLS_CERT_FILE: undefined, TLS_KEY_FILE: undefined, UPSTREAM: 'http://checkout:8080' },
    ...{ DATABASE_URL: `postgres://u:${password}@db/cobro`, AMQP_URL: `amqp://u:${password}@mq` },
  }
  expect(rejected({ ...plain, TLS_BY_MESH: 'services, postgresql, rabbitmq' })).toEqual([])
  expect(rejected({ ...plain, TLS_BY_MESH: 'services' })).toEqual(['AMQP_URL', 'DATABASE_URL'])
  expect(rejected({ ...safe, TLS_BY_MESH: 'everything' })).toEqual(['TLS_BY_MESH.0'])
  const all = { TLS_BY_MESH: 'services,postgresql,rabbitmq' }
  expect(rejected({ ...unsafe, ...all })).toEqual(
    expect.arrayContaining(['DATABASE_URL', 'AMQP_URL', 'KEYS', 'ACQUIRER', 'PROXIES']),
  )
})

test('migrate rejects unsafe URLs in production', () => {
  const env = { COBRO_ENV: 'production', MIGRATION_DATABASE_URL: 'postgres://u@db/c', AMQP_URL: 'amqp://mq' }
  expect(() => migrationConfig(env)).toThrow(/MIGRATION_DATABASE_URL.*\n.*AMQP_URL/)
})
