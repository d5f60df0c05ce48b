import { containsSecret, secretTexts } from './secret-texts.ts'

const ring = `k2:${'a'.repeat(43)}=,k1:${'b'.repeat(43)}=`
const jwk = {
  kty: 'OKP',
  crv: 'Ed25519',
  x: 'public-public-public',
  d: 'private-private',
  kid: 'a-key-that-has-a-name',
}

test('finds every secret at any depth, and nothing public', () => {
  const secrets = {
    password: 'correct horse battery',
    rings: { gateway: ring },
    key: jwk,
    list: ['a staple of horses'],
  }
  expect(secretTexts(secrets)).toEqual([
    ['password', 'correct horse battery'],
    ['rings.gateway', `${'a'.repeat(43)}=`],
    ['rings.gateway', `${'b'.repeat(43)}=`],
    ['key.d', 'private-private'],
    ['list.0', 'a staple of horses'],
  ])
})

test('throws for a secret that cannot be distinguished from other texts', () => {
  expect(() => secretTexts({ postgres: { password: 'hunter2' } })).toThrow('postgres.password is too short')
})

test.each<[string, (bytes: Buffer) => string]>([
  ['as it is', bytes => `key ${bytes.toString('base64')}.`],
  ['without padding', bytes => bytes.toString('base64').replace('=', '')],
  ['in an address', bytes => `/a/${encodeURIComponent(bytes.toString('base64'))}`],
  ['in hex', bytes => bytes.toString('hex')],
  ['as JSON has bytes', bytes => JSON.stringify(bytes)],
  ['for the web', bytes => bytes.toString('base64url')],
  ['in base64 once more', bytes => Buffer.from(bytes.toString('base64')).toString('base64')],
])('a key is found %s', (_how, write) => {
  const bytes = Buffer.alloc(32, 'a?>~ÿ', 'latin1')
  expect(containsSecret(write(bytes), bytes.toString('base64'))).toBe(true)
  expect(containsSecret(write(bytes), Buffer.alloc(32, 'b').toString('base64'))).toBe(false)
})
