import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import {
  type EncryptionKey,
  type HttpAcquirer,
  httpAcquirer,
  type SandboxControls,
  sandboxControls,
} from '@cobro/acquirer'
import { migrate } from '@cobro/database'
import { createLogger, type KeyRing, reveal, secret } from '@cobro/runtime'
import { migratedDatabase, programEnv, type TestDatabase } from '@cobro/testing'
import { CompactEncrypt, importJWK } from 'jose'
import { migrations } from '../migrations/all-acquirer-sandbox.ts'
import type { Config } from '../src/config.ts'
import { startAcquirerSandbox } from '../src/start-acquirer-sandbox.ts'

export const apiKey = 'acq_test_key'

/** A running sandbox with its adapters. Stopping it keeps the database. */
export interface RunningSandbox {
  url: string
  acquirer: HttpAcquirer
  /** An adapter that gives up on a slow response. */
  impatient: HttpAcquirer
  controls: SandboxControls
  stop(): Promise<void>
}

const keyRing: KeyRing = [{ id: 'k1', bytes: secret(randomBytes(32)) }]

const running = new Set<RunningSandbox>()
const processes: ChildProcessWithoutNullStreams[] = []

/** Stops every sandbox that a test left running, for example because it failed. */
export async function stopSandboxes(): Promise<void> {
  for (const child of processes.splice(0)) child.kill('SIGKILL')
  await Promise.all([...running].map(sandbox => sandbox.stop()))
}

/** Creates a database with all migrations of the sandbox. */
export function sandboxDatabase(): Promise<TestDatabase> {
  return migratedDatabase({ schema: 'acquirer_sandbox', migrations, migrate })
}

/**
 * Starts the service on a database. By default no server listens at its notification URL,
 * slow charges settle only with `settleSlowCharges`, and timeouts are longer than a busy machine needs.
 */
export async function runSandbox(database: TestDatabase, changes: Partial<Config> = {}): Promise<RunningSandbox> {
  const releases: (() => unknown)[] = []
  const config = {
    COBRO_ENV: 'sandbox' as const,
    HOST: '127.0.0.1',
    PORT: 0,
    LOG_LEVEL: 'silent' as const,
    DRAIN_MS: 0,
    DATABASE_URL: secret(database.url('acquirer_sandbox')),
    ACQUIRER_API_KEY: secret(apiKey),
    ENCRYPTION_KEYS: keyRing,
    NOTIFICATION_URL: 'http://127.0.0.1:1/notifications',
    NOTIFICATION_RETRY_DELAYS_MS: [50],
    NOTIFICATION_TIMEOUT_MS: 60_000,
    SLOW_ANSWER_MS: 86_400_000,
    REFUND_DELAY_MS: 300,
    DISPUTE_DELAY_MS: 300,
    ...changes,
  }
  const logger = createLogger('acquirer-sandbox', 'silent')
  const port = await startAcquirerSandbox(config, release => void releases.push(release), logger)
  const url = `http://127.0.0.1:${port}`
  const settings = { url, apiKey: secret(apiKey), timeoutMs: 60_000 }
  const acquirer = httpAcquirer(settings)
  const impatient = httpAcquirer({ ...settings, timeoutMs: 1_000, findDelaysMs: [0, 500] })
  const controls = sandboxControls(settings)
  const stop = async () => {
    running.delete(sandbox)
    await Promise.all([acquirer.close(), impatient.close(), controls.close()])
    for (const release of releases.toReversed()) await release()
  }
  const sandbox = { url, acquirer, impatient, controls, stop }
  running.add(sandbox)
  return sandbox
}

/** Lets the delay of every slow charge pass. */
export async function settleSlowCharges(database: TestDatabase): Promise<void> {
  await database.query('update acquirer_sandbox.charges set settles_at = created_at')
  await database.query("update acquirer_sandbox.notifications set next_try_at = now() where type = 'charge.settled'")
}

/** Starts the service on a database in its own process. */
export function spawnSandbox(database: TestDatabase, changes: Record<string, string>): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, ['--conditions=cobro-source', 'src/main.ts'], {
    cwd: `${import.meta.dirname}/..`,
    env: {
      ...programEnv(),
      COBRO_ENV: 'sandbox',
      PORT: '0',
      DATABASE_URL: database.url('acquirer_sandbox'),
      ACQUIRER_API_KEY: apiKey,
      ENCRYPTION_KEYS: keyRing.map(({ id, bytes }) => `${id}:${reveal(bytes).toString('base64')}`).join(),
      ...changes,
    },
  })
  processes.push(child)
  return child
}

/** The payment that test cards are encrypted for. */
export const testPayment = { payable_id: 'cs_1', amount_cents: 25_000, currency: 'MXN', attempt: 'pi_1:1' }

/** Encrypts a card for the test payment as the payer's page does. */
export async function encrypted(key: EncryptionKey, changes: Record<string, unknown> = {}): Promise<string> {
  const { attempt: _attempt, ...payment } = testPayment
  const purpose = { ...payment, iat: Math.floor(Date.now() / 1000), jti: randomUUID() }
  const details = { number: '4242424242424242', exp_month: 12, exp_year: 2099, cvc: '123', holder_name: 'Ana' }
  const card = { ...details, ...purpose, ...changes }
  const plaintext = new TextEncoder().encode(JSON.stringify(card))
  return new CompactEncrypt(plaintext)
    .setProtectedHeader({ alg: key.alg, enc: 'A256GCM', kid: key.kid })
    .encrypt(await importJWK(key, key.alg))
}

/** Returns the token of a card with this number. */
export async function tokenOf(
  acquirer: HttpAcquirer,
  number: string,
  changes: Record<string, unknown> = {},
): Promise<string> {
  const jwe = await encrypted(await acquirer.encryptionKey(), { number, ...changes })
  const { token } = await acquirer.tokenize(jwe, testPayment)
  return token
}
