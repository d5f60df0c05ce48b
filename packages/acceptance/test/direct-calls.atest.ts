import { request as httpRequest } from 'node:http'
import { newId } from '@cobro/contracts'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { sharedStack } from '../src/shared-stack.ts'

let stack: AcceptanceStack
beforeAll(async () => {
  stack = await sharedStack()
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

/** A forged identity without a signature. */
function unsigned(caller: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = { iss: 'cobro-gateway', aud: 'transactions', exp: Math.ceil(Date.now() / 1000) + 30, caller }
  return `${part({ alg: 'none', typ: 'cobro-internal+jwt' })}.${part(claims)}.`
}

const operator = { kind: 'operator', id: newId('usr'), merchants: 'all' }
const forged = unsigned(operator)
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
