import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { writePrivateFile } from '../machine/private-files.ts'

/** The secrets of a local stack. Generated once and stored, since database data depends on them. */
export interface Secrets {
  postgres_password: string
  amqp_password: string
  /** The gateway's private key for signing internal identity tokens, a JWK. */
  internal_signing_key: Record<string, unknown>
  /** The private key for signing checkpoints of the audit log, a JWK. */
  audit_signing_key: Record<string, unknown>
  api_key_peppers: string
  encryption_keys: Record<'gateway' | 'transactions' | 'webhooks-dispatcher' | 'acquirer-sandbox', string>
  acquirer_api_key: string
  passwords: { operator: string; client: string; second_client: string; shop: string }
}

/** Reads a stack's secrets. Generates missing ones: first all, later those of a new release. */
export async function loadSecrets(dir: string): Promise<Secrets> {
  const file = join(dir, 'secrets.json')
  const stored = existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as Partial<Secrets>) : {}
  const generated = generateSecrets()
  const encryption_keys = { ...generated.encryption_keys, ...stored.encryption_keys }
  const passwords = { ...generated.passwords, ...stored.passwords }
  const secrets = { ...generated, ...stored, encryption_keys, passwords }
  if (!isDeepStrictEqual(secrets, stored)) writePrivateFile(file, secrets)
  return secrets
}

/** Returns the public key of a private Ed25519 JWK, as a JWK set. */
export function publicKeySet(privateKey: Record<string, unknown>): { keys: Record<string, unknown>[] } {
  const { d: _secret, ...publicKey } = privateKey
  return { keys: [publicKey] }
}

function generateSecrets(): Secrets {
  const keyRing = () => `k1:${randomBytes(32).toString('base64')}`
  return {
    postgres_password: randomText(),
    amqp_password: randomText(),
    internal_signing_key: {
      ...generatePrivateKey(),
      kid: `internal-${randomBytes(4).toString('hex')}`,
      alg: 'EdDSA',
      use: 'sig',
    },
    audit_signing_key: generatePrivateKey(),
    api_key_peppers: `p1:${randomBytes(32).toString('base64')}`,
    encryption_keys: {
      gateway: keyRing(),
      transactions: keyRing(),
      'webhooks-dispatcher': keyRing(),
      'acquirer-sandbox': keyRing(),
    },
    acquirer_api_key: randomText(),
    passwords: { operator: randomText(), client: randomText(), second_client: randomText(), shop: randomText() },
  }
}

const generatePrivateKey = () => generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
const randomText = () => randomBytes(18).toString('base64url')
