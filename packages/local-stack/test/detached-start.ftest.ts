import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isRunning, type ProcessIdentity } from '../src/machine/process-identity.ts'
import { runCommand } from '../src/machine/run-command.ts'
import { loadSecrets } from '../src/services/secrets.ts'
import type { Stack } from '../src/stack/stack-file.ts'
import { unusedPortBase } from './unused-port-base.ts'

const long = process.env.COBRO_TEST_LONG === '1'
let dir: string
let env: NodeJS.ProcessEnv
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'cobro-detached-'))
  env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    COBRO_DIR: dir,
    COBRO_PORT_BASE: String(await unusedPortBase()),
  }
})
afterEach(async () => {
  expect((await run('stop')).code).toBe(0)
  await rm(dir, { recursive: true, force: true })
})

const run = (command: string, ...args: string[]) => {
  const program = join(import.meta.dirname, `../src/commands/${command}.ts`)
  return runCommand(process.execPath, ['--conditions=cobro-source', program, ...args], { env, timeoutMs: 180_000 })
}
/** Starts the stack, whose API then answers: within a time in the long form, for which the machine has to be idle. */
async function startWithin(longestMs: number) {
  const begin = performance.now()
  const started = await run('start', '--detach')
  const { base_url } = JSON.parse(await readFile(join(dir, 'stack.json'), 'utf8')) as Stack
  expect((await fetch(`${base_url}/health`)).status).toBe(200)
  if (long) expect(performance.now() - begin).toBeLessThan(longestMs)
  return started
}
const readLog = () => readFile(join(dir, 'logs', 'launcher.log'), 'utf8')
/** The steps of the newest start whose order differs: RabbitMQ has to be ready before the services only if the data is new. */
const stepsOfLastStart = async () =>
  (await readLog())
    .split('starting PostgreSQL and RabbitMQ')
    .at(-1)
    ?.match(/starting the services|RabbitMQ is ready/g)
const shopPassword = async () => (await loadSecrets(dir)).passwords.shop

test('a detached start prints the credentials of the stack and logs none of them', async () => {
  const started = await run('start', '--detach', '--empty')
  expect([started.code, started.stderr]).toEqual([0, ''])
  const stack = JSON.parse(await readFile(join(dir, 'stack.json'), 'utf8')) as Stack
  const secrets = [stack.api_key, stack.operator.password, stack.client.password, stack.postgres_url, stack.amqp_url]
  for (const secret of secrets) expect(started.stdout).toContain(secret)
  const log = await readLog()
  expect(log).toContain('everything is ready')
  for (const secret of [...secrets, stack.second.api_key, stack.second.client.password])
    expect(log).not.toContain(secret)
  // An empty start neither loads nor mentions the demo shop.
  expect(log).not.toContain('demo shop')
  expect(started.stdout).not.toContain(await shopPassword())
  expect((await run('status')).stdout).not.toContain('demo data')
  await stopWhileRabbitmqStarts()
})

/** Stops a start whose services start while RabbitMQ does, and expects that nothing is left of it. */
async function stopWhileRabbitmqStarts(): Promise<void> {
  expect(await stepsOfLastStart()).toEqual(['RabbitMQ is ready', 'starting the services'])
  expect((await run('stop')).code).toBe(0)
  const interrupted = run('start', '--detach', '--empty')
  while ((await stepsOfLastStart())?.[0] !== 'starting the services') await sleep(20)
  const processes = JSON.parse(await readFile(join(dir, 'processes.json'), 'utf8')) as ProcessIdentity[]
  // PostgreSQL, RabbitMQ and its port mapper.
  expect(processes.length).toBeGreaterThanOrEqual(3)
  expect((await run('stop')).code).toBe(0)
  expect((await interrupted).code).toBe(1)
  expect(processes.filter(isRunning)).toEqual([])
  expect((await readLog()).match(/everything is ready/g)).toHaveLength(1)
}

test('a start loads the demo shop in the background, whose user it prints, and stops while it loads', async () => {
  const started = await startWithin(45_000)
  const password = await shopPassword()
  expect([started.code, started.stdout]).toEqual([0, expect.stringContaining(password)])
  expect(await statusOf(/^demo data: [1-9]\d? %$/m)).toBe(true)
  expect((await run('stop')).stdout).toBe('The stack is stopped.\n')
  expect(await readLog()).not.toContain('could not be loaded')
  expect((await startWithin(8_000)).code).toBe(0)
  expect(await stepsOfLastStart()).toEqual(['starting the services', 'RabbitMQ is ready'])
  expect(await statusOf(/^demo data: loaded$/m)).toBe(true)
  expect(await readLog()).not.toContain(password)
})

/** Returns whether `npm run status` comes to show something. */
async function statusOf(shown: RegExp): Promise<boolean> {
  for (const deadline = Date.now() + 120_000; Date.now() < deadline; await sleep(200))
    if (shown.test((await run('status')).stdout)) return true
  return false
}
