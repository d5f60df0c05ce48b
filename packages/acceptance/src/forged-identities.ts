import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { newId } from '@cobro/contracts'

/** A call of a service that does not come from the gateway. */
export interface DirectCall {
  what: string
  /** Names and values of the headers, in turn; a name may be repeated. */
  headers: string[]
}

const operator = { kind: 'operator', id: newId('usr'), merchants: 'all' }
const stranger = generateKeyPairSync('ed25519')
const jwk = stranger.publicKey.export({ format: 'jwk' })
const signedByStranger = (text: string) => sign(null, Buffer.from(text), stranger.privateKey)

/** A forged identity. The audience is the service that is called first with it. */
function forge(header: object, signatureOf: (text: string) => Buffer | string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = { iss: 'cobro-gateway', aud: 'transactions', exp: Math.ceil(Date.now() / 1000) + 30, caller: operator }
  const text = `${part({ typ: 'cobro-internal+jwt', ...header })}.${part(claims)}`
  return `${text}.${Buffer.from(signatureOf(text)).toString('base64url')}`
}

/** Returns calls with credentials of callers and forged identities, which a service answers with 401. */
export function forgedIdentities(stack: { api_key: string; merchant_id: string }, accessToken: string): DirectCall[] {
  const forged = forge({ alg: 'none' }, () => '')
  const signed = (header: object) => ['x-cobro-identity', forge(header, signedByStranger)]
  const emptySecret = (text: string) => createHmac('sha256', '').update(text).digest()
  const calls: Record<string, string[]> = {
    nothing: [],
    'an API key': ['X-API-Key', stack.api_key],
    'an API key as a token': ['Authorization', `Token ${stack.api_key}`],
    'an identity in lower case, unsigned': ['x-cobro-identity', forged],
    'an identity in upper case, unsigned': ['X-COBRO-IDENTITY', forged],
    'an identity in title case, unsigned': ['X-Cobro-Identity', forged],
    'an identity with underscores, unsigned': ['x_cobro_identity', forged],
    'an identity twice': ['x-cobro-identity', forged, 'X-Cobro-Identity', forged],
    'an empty identity': ['x-cobro-identity', ''],
    'an identity as JSON': ['x-cobro-identity', JSON.stringify({ caller: operator })],
    'an identity that Connection takes away': ['x-cobro-identity', forged, 'Connection', 'x-cobro-identity'],
    'a merchant alone': ['x-cobro-merchant-id', stack.merchant_id, 'x-merchant-id', stack.merchant_id],
    'names that others use': ['x-user-id', operator.id, 'x-internal-auth', 'true', 'x-forwarded-user', operator.id],
    'a bearer token': ['Authorization', `Bearer ${forged}`],
    'an access token as the identity': ['x-cobro-identity', accessToken],
    'an identity that is signed with another key': signed({ alg: 'EdDSA' }),
    'an identity that brings its own key': signed({ alg: 'EdDSA', jwk }),
    'an identity with a shared secret': ['x-cobro-identity', forge({ alg: 'HS256' }, emptySecret)],
    'an identity in a cookie': ['Cookie', `x-cobro-identity=${forged}`],
  }
  return Object.entries(calls).map(([what, headers]) => ({ what, headers }))
}

/** Operations of each service, called at the service itself. */
export const directRoutes = [
  ['checkout', 'GET', `/checkout/v1/sessions/${newId('cs')}`],
  ['checkout', 'POST', '/checkout/v1/sessions'],
  ['checkout', 'GET', `/hosted/v1/checkout/${newId('cs')}`],
  ['transactions', 'GET', '/api/transactions'],
  ['transactions', 'POST', '/api/terminales'],
  ['webhooks-dispatcher', 'GET', '/api/webhooks'],
  ['webhooks-dispatcher', 'POST', '/api/webhooks'],
  ['audit-log', 'GET', '/api/events'],
] as const
