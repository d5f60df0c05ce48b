import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { newId } from '@cobro/contracts'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { apiClient } from '../src/api-client.ts'
import { sharedStack } from '../src/shared-stack.ts'

let stack: AcceptanceStack
let accessToken: string
beforeAll(async () => {
  stack = await sharedStack()
  accessToken = (await apiClient(stack.stack.base_url).call('POST', '/api/auth/login', stack.stack.operator)).body.token
})
afterAll(() => stack?.stop())

/** Makes a call with the given header names unchanged, possibly repeated. */
function call(url: string, method: string, headers: string[]): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method, headers: ['Host', 'a', 'Connection', 'close', ...headers] }, answer => {
      let body = ''
      answer.setEncoding('utf8')
      answer.on('data', text => {
        body += text
      })
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }))
    })
    sent.on('error', reject)
    sent.end()
  })
}

/** A forged identity. The audience is the service that is called first with it. */
function forge(caller: object, header: object, signatureOf: (text: string) => Buffer | string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = { iss: 'cobro-gateway', aud: 'transactions', exp: Math.ceil(Date.now() / 1000) + 30, caller }
  const text = `${part({ typ: 'cobro-internal+jwt', ...header })}.${part(claims)}`
  return `${text}.${Buffer.from(signatureOf(text)).toString('base64url')}`
}

const operator = { kind: 'operator', id: newId('usr'), merchants: 'all' }
const forged = forge(operator, { alg: 'none' }, () => '')
const stranger = generateKeyPairSync('ed25519')
const jwk = stranger.publicKey.export({ format: 'jwk' })
const signedByStranger = (text: string) => sign(null, Buffer.from(text), stranger.privateKey)
const signed = (header: object) => ['x-cobro-identity', forge(operator, header, signedByStranger)]
const names = ['x-cobro-identity', 'X-COBRO-IDENTITY', 'X-Cobro-Identity', 'x_cobro_identity']
const variants: [what: string, headers: () => string[]][] = [
  ['nothing', () => []],
  ['an API key', () => ['X-API-Key', stack.stack.api_key]],
  ['an API key as a token', () => ['Authorization', `Token ${stack.stack.api_key}`]],
  ...names.map((name): [string, () => string[]] => [`${name}, unsigned`, () => [name, forged]]),
  ['an identity twice', () => ['x-cobro-identity', forged, 'X-Cobro-Identity', forged]],
  ['an empty identity', () => ['x-cobro-identity', '']],
  ['an identity as JSON', () => ['x-cobro-identity', JSON.stringify({ caller: operator })]],
  ['an identity that Connection takes away', () => ['x-cobro-identity', forged, 'Connection', 'x-cobro-identity']],
  [
    'a merchant alone',
    () => ['x-cobro-merchant-id', stack.stack.merchant_id, 'x-merchant-id', stack.stack.merchant_id],
  ],
  [
    'names that others use',
    () => ['x-user-id', operator.id, 'x-internal-auth', 'true', 'x-forwarded-user', operator.id],
  ],
  ['a bearer token', () => ['Authorization', `Bearer ${forged}`]],
  ['an access token as the identity', () => ['x-cobro-identity', accessToken]],
  ['an identity that is signed with another key', () => signed({ alg: 'EdDSA' })],
  ['an identity that brings its own key', () => signed({ alg: 'EdDSA', jwk })],
  [
    'an identity with a shared secret',
    () => [
      'x-cobro-identity',
      forge(operator, { alg: 'HS256' }, text => createHmac('sha256', '').update(text).digest()),
    ],
  ],
  ['an identity in a cookie', () => ['Cookie', `x-cobro-identity=${forged}`]],
]

const routes = [
  ['checkout', 'GET', `/checkout/v1/sessions/${newId('cs')}`],
  ['checkout', 'POST', '/checkout/v1/sessions'],
  ['checkout', 'GET', `/hosted/v1/checkout/${newId('cs')}`],
  ['transactions', 'GET', '/api/transactions'],
  ['transactions', 'POST', '/api/terminales'],
  ['webhooks-dispatcher', 'GET', '/api/webhooks'],
  ['webhooks-dispatcher', 'POST', '/api/webhooks'],
  ['audit-log', 'GET', '/api/events'],
] as const

test.each(variants)(
  'a service that is reached directly with %s answers 401, and nothing else',
  async (_what, headers) => {
    for (const [service, method, path] of routes) {
      const url = `${stack.stack.services[service]?.url}${path}`
      expect([path, await call(url, method, headers())]).toEqual([
        path,
        { status: 401, body: '{"error":"unauthorized"}' },
      ])
    }
  },
)
