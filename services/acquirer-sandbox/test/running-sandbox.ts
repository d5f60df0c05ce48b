import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  type EncryptionKey,
  type HttpAcquirer,
  httpAcquirer,
  type SandboxControls,
  sandboxControls,
} from '@cobro/acquirer'
import { migrate } from '@cobro/database'
import { createLogger, reveal, secret } from '@cobro/runtime'
import { migratedDatabase, programEnv, type TestDatabase } from '@cobro/testing'
import { CompactEncrypt, importJWK } from 'jose'
import { migrations } from '../migrations/all-acquirer-sandbox.ts'
import type { Config } from '../src/config.ts'
import { startAcquirerSandbox } from '../src/start-acquirer-sandbox.ts'

export const apiKey = 'acq_test_key'

/** A sandbox that runs, the adapters that speak to it, and how to stop them. The database stays. */
export interface RunningSandbox {
  url: string
  acquirer: HttpAcquirer
  /** An adapter whose patience ends long before a slow answer comes. */
  impatient: HttpAcquirer
  controls: SandboxControls
  stop(): Promise<void>
}

const keyRing = [{ id: 'k1', bytes: secret(randomBytes(32)) }]

const running = new Set<RunningSandbox>()
const processes: ChildProcessWithoutNullStreams[] = []

/** Stops what a test left running, be it because it failed: nothing else would end the test process. */
export async function stopSandboxes(): Promise<void> {
  for (const child of processes.splice(0)) child.kill('SIGKILL')
  await Promise.all([...running].map(sandbox => sandbox.stop()))
}

/** Makes a database at the sandbox's newest migration. */
export function sandboxDatabase(): Promise<TestDatabase> {
  return migratedDatabase({ schema: 'acquirer_sandbox', migrations, migrate })
}

/** Starts the service on a database. Unless a test says otherwise its notifications find nobody. */
export async function runSandbox(database: TestDatabase, given: Partial<Config> = {}): Promise<RunningSandbox> {
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
    NOTIFICATION_WAITS_MS: [50],
    NOTIFICATION_TIMEOUT_MS: 1_000,
    SLOW_ANSWER_MS: 3_000,
    REFUND_DELAY_MS: 300,
    DISPUTE_DELAY_MS: 300,
    ...given,
  }
  const logger = createLogger('acquirer-sandbox', 'silent')
  const port = await startAcquirerSandbox(config, release => void releases.push(release), logger)
  const url = `http://127.0.0.1:${port}`
  const acquirer = httpAcquirer({ url, apiKey: secret(apiKey) })
  const impatient = httpAcquirer({ url, apiKey: secret(apiKey), timeoutMs: 300, findDelaysMs: [0] })
  const controls = sandboxControls({ url, apiKey: secret(apiKey) })
  const stop = async () => {
    running.delete(sandbox)
    await Promise.all([acquirer.close(), impatient.close(), controls.close()])
    for (const release of releases.toReversed()) await release()
  }
  const sandbox = { url, acquirer, impatient, controls, stop }
  running.add(sandbox)
  return sandbox
}

/** Starts the service on a database as a process of its own. */
export function spawnSandbox(database: TestDatabase, given: Record<string, string>): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, ['--conditions=cobro-source', 'src/main.ts'], {
    cwd: `${import.meta.dirname}/..`,
    env: {
      ...programEnv(),
      COBRO_ENV: 'sandbox',
      PORT: '0',
      DATABASE_URL: database.url('acquirer_sandbox'),
      ACQUIRER_API_KEY: apiKey,
      ENCRYPTION_KEYS: keyRing.map(({ id, bytes }) => `${id}:${reveal(bytes).toString('base64')}`).join(),
      ...given,
    },
  })
  processes.push(child)
  return child
}

/** A card as the payer's page encrypts it. */
export async function encrypted(key: EncryptionKey, given: Record<string, unknown> = {}): Promise<string> {
  const card = { number: '4242424242424242', exp_month: 12, exp_year: 2099, cvc: '123', holder_name: 'Ana', ...given }
  const plaintext = new TextEncoder().encode(JSON.stringify(card))
  return new CompactEncrypt(plaintext)
    .setProtectedHeader({ alg: key.alg, enc: 'A256GCM', kid: key.kid })
    .encrypt(await importJWK(key, key.alg))
}

/** The token of a card with that number. */
export async function tokenOf(
  acquirer: HttpAcquirer,
  number: string,
  given: Record<string, unknown> = {},
): Promise<string> {
  const { token } = await acquirer.tokenize(await encrypted(await acquirer.encryptionKey(), { number, ...given }))
  return token
}
