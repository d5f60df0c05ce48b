import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign,
} from 'node:crypto'
import { newId } from '@cobro/contracts'
import { productionKey } from './caller-columns.ts'

/** What forgeries are made of. */
export interface TokenMaterial {
  /** A valid access token. */
  token: string
  refreshToken: string
  /** The gateway's private key for access tokens. */
  signingKey: JsonWebKey
  /** The gateway's private key for internal identities. */
  internalKey: JsonWebKey
  /** A valid API key, and one that was revoked. */
  apiKey: string
  revokedKey: string
  /** A server that counts its calls: no forged token may cause one. */
  keyServer: string
}

type Headers = Record<string, string>
type Fields = Record<string, unknown>

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const decode = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString()) as Fields
const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` })
const key = (value: string): Headers => ({ authorization: `Token ${value}` })
const privateKey = (jwk: JsonWebKey) => createPrivateKey({ key: jwk, format: 'jwk' })
const otherThan = (letter = '') => (letter === 'A' ? 'B' : 'A')

/** Returns headers with credentials that the gateway did not issue, or not for this use, by name. */
export function forgedTokens(material: TokenMaterial): Record<string, Headers> {
  const [header = '', payload = '', signature = ''] = material.token.split('.')
  const claims = decode(payload)
  const jwt = (change: { header?: Fields; payload?: Fields }, by: KeyObject = privateKey(material.signingKey)) => {
    const text = `${encode({ ...decode(header), ...change.header })}.${encode({ ...claims, ...change.payload })}`
    return bearer(`${text}.${sign(null, Buffer.from(text), by).toString('base64url')}`)
  }
  const now = Math.floor(Date.now() / 1000)
  return {
    ...withoutSignature(decode(header), payload),
    ...withPublicKeyAsSecret(decode(header), payload, material.signingKey),
    ...withForeignKey(jwt, material.keyServer),
    'the kid of no key': jwt({ header: { kid: 'unknown' } }),
    'a path as the kid': jwt({ header: { kid: '../../../../dev/null' } }),
    'SQL as the kid': jwt({ header: { kid: "' or 1=1 --" } }),
    'a list as the kid': jwt({ header: { kid: [decode(header).kid] } }),
    'no kid': jwt({ header: { kid: undefined } }),
    'the alg ES256': jwt({ header: { alg: 'ES256' } }),
    'the alg RS256': jwt({ header: { alg: 'RS256' } }),
    'the typ JWT': jwt({ header: { typ: 'JWT' } }),
    'no typ': jwt({ header: { typ: undefined } }),
    'an unknown critical header': jwt({ header: { crit: ['b64'], b64: false } }),
    'another issuer': jwt({ payload: { iss: 'https://evil.test' } }),
    'no issuer': jwt({ payload: { iss: undefined } }),
    'the audience of a service': jwt({ payload: { aud: 'transactions' } }),
    'no audience': jwt({ payload: { aud: undefined } }),
    'an expiry in the past': jwt({ payload: { exp: now - 60 } }),
    'no expiry': jwt({ payload: { exp: undefined } }),
    'an expiry that is a text': jwt({ payload: { exp: 'never' } }),
    'a beginning in the future': jwt({ payload: { nbf: now + 86_400 } }),
    'an unknown user': jwt({ payload: { sub: newId('usr') } }),
    'no user': jwt({ payload: { sub: undefined } }),
    'no login': jwt({ payload: { jti: undefined } }),
    'the key of internal identities': jwt({}, privateKey(material.internalKey)),
    'an internal identity': jwt(
      {
        header: { typ: 'cobro-internal+jwt', kid: material.internalKey.kid },
        payload: { iss: 'cobro-gateway', aud: 'transactions', caller: { kind: 'operator', merchants: 'all' } },
      },
      privateKey(material.internalKey),
    ),
    'a changed payload': bearer(`${header}.${encode({ ...claims, role: 'operator', merchants: 'all' })}.${signature}`),
    'a changed header': bearer(`${encode({ ...decode(header), a: 1 })}.${payload}.${signature}`),
    'half of the signature': bearer(`${header}.${payload}.${signature.slice(0, 43)}`),
    'no end of the signature': bearer(`${header}.${payload}.${signature.slice(0, -2)}`),
    'a changed signature': bearer(`${header}.${payload}.${otherThan(signature[0])}${signature.slice(1)}`),
    'a longer signature': bearer(`${header}.${payload}.${signature}AA`),
    'no payload': bearer(`${header}..${signature}`),
    'two dots': bearer('..'),
    'five parts': bearer(`${header}.${payload}.${signature}.a.b`),
    ...otherCredentials(material),
  }
}

function withoutSignature(header: Fields, payload: string): Record<string, Headers> {
  const spellings = ['none', 'None', 'NONE', 'nOnE', '']
  return Object.fromEntries(
    spellings.map(alg => [`the alg "${alg}"`, bearer(`${encode({ ...header, alg })}.${payload}.`)]),
  )
}

function withPublicKeyAsSecret(header: Fields, payload: string, signingKey: JsonWebKey): Record<string, Headers> {
  const publicKey = createPublicKey({ key: signingKey, format: 'jwk' })
  const secrets: Record<string, string | Buffer> = {
    bytes: Buffer.from(signingKey.x ?? '', 'base64url'),
    base64url: signingKey.x ?? '',
    PEM: publicKey.export({ format: 'pem', type: 'spki' }),
    DER: publicKey.export({ format: 'der', type: 'spki' }),
  }
  const text = `${encode({ ...header, alg: 'HS256' })}.${payload}`
  return Object.fromEntries(
    Object.entries(secrets).map(([form, secret]) => [
      `HS256 with the public key as ${form}`,
      bearer(`${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`),
    ]),
  )
}

function withForeignKey(
  jwt: (change: { header?: Fields }, by: KeyObject) => Headers,
  keyServer: string,
): Record<string, Headers> {
  const theirs = generateKeyPairSync('ed25519')
  const jwk = theirs.publicKey.export({ format: 'jwk' })
  const named: Fields = {
    jwk,
    jku: `${keyServer}/keys`,
    x5u: `${keyServer}/chain`,
    x5c: [theirs.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')],
    x5t: 'dGhlaXJz',
  }
  return {
    'a foreign key': jwt({}, theirs.privateKey),
    ...Object.fromEntries(
      Object.entries(named).flatMap(([name, value]) => [
        [`a foreign key in ${name}, under our kid`, jwt({ header: { [name]: value } }, theirs.privateKey)],
        [`a foreign key in ${name}`, jwt({ header: { [name]: value, kid: 'theirs' } }, theirs.privateKey)],
      ]),
    ),
  }
}

function otherCredentials({ token, refreshToken, apiKey, revokedKey }: TokenMaterial): Record<string, Headers> {
  return {
    'a refresh token': bearer(refreshToken),
    'a refresh token as a key': key(refreshToken),
    'an API key as a bearer token': bearer(apiKey),
    'an access token as a key': key(token),
    'a revoked API key': key(revokedKey),
    'an API key with another last letter': key(apiKey.slice(0, -1) + otherThan(apiKey.at(-1))),
    'an API key with another letter in its middle': key(apiKey.slice(0, 20) + otherThan(apiKey[20]) + apiKey.slice(21)),
    'an API key of the other environment': key(productionKey(apiKey)),
    'half of an API key': key(apiKey.slice(0, 20)),
    'an API key as Basic': { authorization: `Basic ${Buffer.from(`${apiKey}:`).toString('base64')}` },
    'an access token in a cookie': { cookie: `token=${token}; access_token=${token}` },
    'an empty bearer token': { authorization: 'Bearer ' },
  }
}
