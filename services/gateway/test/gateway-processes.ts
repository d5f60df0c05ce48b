import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { reveal } from '@cobro/runtime'
import { freePort, programEnv, waitFor } from '@cobro/testing'
import type { Config } from '../src/config.ts'
import { type GatewayWorld, send } from './gateway-world.ts'

const keyRing = (keys: Config['API_KEY_PEPPERS']) =>
  keys.map(({ id, bytes }) => `${id}:${reveal(bytes).toString('base64')}`).join()

const settingText = (value: object | string | number) =>
  typeof value === 'object' && !Array.isArray(value) ? Object.values(value).join('/') : String(value)

export type GatewayProcesses = ReturnType<typeof gatewayProcesses>

/** Runs the service in processes of its own, with the database and broker of a test gateway. */
export function gatewayProcesses({ config, database }: GatewayWorld) {
  const running = new Set<ChildProcess>()

  function environment(change: Record<string, string> = {}): Record<string, string> {
    const { TRUSTED_PROXIES: _none, API_KEY_PEPPERS, ENCRYPTION_KEYS, ...rest } = config
    const { DATABASE_URL, AMQP_URL, INTERNAL_SIGNING_KEY, ...plain } = rest
    return {
      ...programEnv(),
      ...Object.fromEntries(Object.entries(plain).map(([name, value]) => [name, settingText(value)])),
      DATABASE_URL: reveal(DATABASE_URL),
      AMQP_URL: reveal(AMQP_URL),
      API_KEY_PEPPERS: keyRing(API_KEY_PEPPERS),
      ENCRYPTION_KEYS: keyRing(ENCRYPTION_KEYS),
      INTERNAL_SIGNING_KEY: JSON.stringify(reveal(INTERNAL_SIGNING_KEY)),
      MIGRATION_DATABASE_URL: database.migratorUrl,
      COBRO_TRUST_INBOUND_TRACE: 'false',
      ...change,
    }
  }

  /** Runs a service command, or the service. `shell` prefixes the command, e.g. to set limits. */
  function run(command: string[], env: Record<string, string>, { input = '', shell = '' } = {}) {
    const flags = ['--conditions=cobro-source', '--import', '@cobro/runtime/telemetry']
    const line = [process.execPath, ...flags, 'src/main.ts', ...command]
    const [program = '', ...args] = shell ? ['sh', '-c', `${shell}; exec "$0" "$@"`, ...line] : line
    const cwd = join(import.meta.dirname, '..')
    const child = spawn(program, args, { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] })
    running.add(child)
    child.once('exit', () => running.delete(child))
    child.stdin.end(input)
    return { child, output: text(child.stdout), exit: once(child, 'exit').then(([code]) => code as number | null) }
  }

  /** Starts another gateway process and waits until it is ready. */
  async function serve(change: Record<string, string> = {}, options: Parameters<typeof run>[2] = {}) {
    const port = await freePort()
    const spool = join(config.SPOOL_DIR, String(port))
    const started = run([], environment({ PORT: String(port), SPOOL_DIR: spool, ...change }), options)
    const url = `http://127.0.0.1:${port}`
    await waitFor(async () => (await send(url, '/health/ready')).status === 200)
    return { ...started, url, spool }
  }

  const killAll = () => {
    for (const child of running) child.kill('SIGKILL')
  }
  return { environment, run, serve, killAll }
}
