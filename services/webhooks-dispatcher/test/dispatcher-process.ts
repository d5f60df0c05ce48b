import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { reveal } from '@cobro/runtime'
import { programEnv } from '@cobro/testing'
import type { Config } from '../src/config.ts'

/** Returns the environment variables for a configuration. */
function environmentOf(config: Config): Record<string, string> {
  const { DATABASE_URL, AMQP_URL, INTERNAL_JWKS, ENCRYPTION_KEYS, ...rest } = config
  const { WEBHOOK_RETRY_DELAYS_MS, WEBHOOK_TIMEOUT_MS, ...plain } = rest
  return {
    ...Object.fromEntries(Object.entries(plain).map(([name, value]) => [name, String(value)])),
    DATABASE_URL: reveal(DATABASE_URL),
    AMQP_URL: reveal(AMQP_URL),
    INTERNAL_JWKS: JSON.stringify(INTERNAL_JWKS),
    ENCRYPTION_KEYS: ENCRYPTION_KEYS.map(key => `${key.id}:${reveal(key.bytes).toString('base64')}`).join(','),
    WEBHOOK_RETRY_DELAYS_MS: WEBHOOK_RETRY_DELAYS_MS.join(','),
    WEBHOOK_TIMEOUT_MS: String(WEBHOOK_TIMEOUT_MS),
  }
}

interface ProcessOptions {
  script?: string
  env?: Record<string, string>
  /** Exposes garbage collection and opens a channel to the process. */
  measured?: boolean
  /** What becomes of its log. */
  stdout?: 'ignore' | 'pipe'
}

/** Starts the service, or `script`, in a separate process, with telemetry as deployed. */
export function startProcess(
  config: Config,
  { script = 'src/main.ts', env = {}, measured = false, stdout = 'ignore' }: ProcessOptions = {},
): ChildProcess {
  const args = ['--conditions=cobro-source', '--import', '@cobro/runtime/telemetry', script]
  const all = { ...programEnv(), ...environmentOf(config), ...env }
  return spawn(process.execPath, measured ? ['--expose-gc', ...args] : args, {
    cwd: join(import.meta.dirname, '..'),
    env: all,
    stdio: ['ignore', stdout, 'inherit', ...(measured ? ['ipc' as const] : [])],
  })
}
