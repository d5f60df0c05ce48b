import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writePrivateFile } from '../machine/private-files.ts'

/** Everything secret of one local stack. Made once and kept, because what is in the database was made with it. */
export interface Secrets {
  postgres_password: string
  amqp_password: string
  /** The gateway's private key for internal identities, a JWK. */
  internal_signing_key: Record<string, unknown>
  /** The private key that checkpoints of the audit log are signed with, a JWK. */
  audit_signing_key: Record<string, unknown>
  api_key_peppers: string
  encryption_keys: { gateway: string; 'webhooks-dispatcher': string; 'acquirer-sandbox': string }
  acquirer_api_key: string
  passwords: { operator: string; client: string; second_client: string }
}

/** Reads the secrets of a stack's folder, making those that are missing: all of them the first time, later what a release added. */
export async function loadSecrets(dir: string): Promise<Secrets> {
  const file = join(dir, 'secrets.json')
  const known = existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as Partial<Secrets>) : {}
  const secrets = { ...makeSecrets(), ...known }
  if (Object.keys(secrets).length > Object.keys(known).length) writePrivateFile(file, secrets)
  return secrets
}

/** The public half of a private Ed25519 JWK, as a key set. */
export function publicKeySet(privateKey: Record<string, unknown>): { keys: Record<string, unknown>[] } {
  const { d: _secret, ...publicKey } = privateKey
  return { keys: [publicKey] }
}

function makeSecrets(): Secrets {
  const keyRing = () => `k1:${randomBytes(32).toString('base64')}`
  return {
    postgres_password: text(),
    amqp_password: text(),
    internal_signing_key: {
      ...privateKey(),
      kid: `internal-${randomBytes(4).toString('hex')}`,
      alg: 'EdDSA',
      use: 'sig',
    },
    audit_signing_key: privateKey(),
    api_key_peppers: `p1:${randomBytes(32).toString('base64')}`,
    encryption_keys: { gateway: keyRing(), 'webhooks-dispatcher': keyRing(), 'acquirer-sandbox': keyRing() },
    acquirer_api_key: text(),
    passwords: { operator: text(), client: text(), second_client: text() },
  }
}

const privateKey = () => generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
const text = () => randomBytes(18).toString('base64url')
