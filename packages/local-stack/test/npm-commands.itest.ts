import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepareDatabase, withClient } from '../src/database/prepare-database.ts'
import { identifyProcess } from '../src/machine/process-identity.ts'
import { runCommand } from '../src/machine/run-command.ts'
import { unusedPortBase } from './unused-port-base.ts'

let dir: string

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'cobro-commands-'))
})

afterEach(() => rm(dir, { recursive: true, force: true }))

const run = (task: string, args: string[] = [], env: Record<string, string> = {}) =>
  runCommand(
    process.execPath,
    ['--conditions=cobro-source', join(import.meta.dirname, `../src/commands/${task}.ts`), ...args],
    {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, COBRO_DIR: dir, ...env },
    },
  )

test('npm start names a port that is in use, and leaves no process running', async () => {
  const base = await unusedPortBase()
  const otherServer = await listen(base + 3)
  const started = await run('start', [], { COBRO_PORT_BASE: String(base) })
  otherServer.close()
  expect(started.code).toBe(1)
  expect(started.stderr).toBe(
    `Port ${base + 3} (webhooks-dispatcher) is in use by another program: stop it, or choose other ports, as in COBRO_PORT_BASE=5000 npm start.\n`,
  )
  expect((await run('status')).code).toBe(1)
})

test('npm start -- --detach prints the error of the process that it started', async () => {
  const started = await run('start', ['--detach'], { COBRO_PORT_BASE: '80' })
  expect(started.code).toBe(1)
  expect(started.stdout).toBe('COBRO_PORT_BASE must be a whole number from 1024 to 65000.\n')
})

test('npm start rejects ports to which browsers do not connect', async () => {
  const { code, stderr } = await run('start', [], { COBRO_PORT_BASE: '6660' })
  expect([code, stderr]).toEqual([1, expect.stringContaining('Browsers refuse to connect to port 6665: ')])
})

test('npm start fails while a stack is running in the same directory', async () => {
  await writeFile(join(dir, 'launcher.json'), JSON.stringify({ ...identifyProcess(process.pid), ready: true }))
  const started = await run('start')
  expect(started).toMatchObject({
    code: 1,
    stderr: `A stack is already running (process ${process.pid}): stop it with npm stop.\n`,
  })
})

test('npm run status without a stack says how to start one', async () => {
  expect(await run('status')).toMatchObject({ code: 1, stdout: 'No stack is running: npm start starts one.\n' })
})

test('npm run status names each part of a stack that is down, and exits with 1', async () => {
  const stack = {
    postgres_url: process.env.TEST_POSTGRES_URL,
    amqp_url: 'amqp://127.0.0.1:1',
    services: { gateway: { url: 'http://127.0.0.1:1', pid: 77 } },
  }
  await writeFile(join(dir, 'stack.json'), JSON.stringify(stack))
  const { code, stdout } = await run('status')
  expect(code).toBe(1)
  expect(stdout.split('\n')).toEqual([
    '  DOWN  gateway               http://127.0.0.1:1  process 77',
    expect.stringMatching(/^ {2}up {4}PostgreSQL +\S+$/),
    '  DOWN  RabbitMQ              127.0.0.1:1',
    '',
  ])
})

test.each([
  ['without a session', [], {}, 'Usage: npm run pay -- <id or URL of a session or payment link>'],
  ['without a stack', ['cs_1'], {}, 'No stack is running: npm start starts one.'],
  ['for what is neither a session nor a link', ['tx_1'], { HOSTED_URL: 'http://127.0.0.1:1' }, 'got tx_1.'],
  ['if nothing answers', ['http://127.0.0.1:1/checkout/cs_1'], {}, 'Cannot connect to http://127.0.0.1:1: start'],
])('npm run pay fails %s', async (_, args, env, words) => {
  const { code, stderr } = await run('pay', args, env)
  expect([code, stderr]).toEqual([1, expect.stringContaining(words)])
})

test.each([
  ['approved', 'completed', 'Approved', 0],
  ['declined', 'open', 'Declined', 1],
])('npm run pay waits for a pending payment that is then %s', async (_, status, transaction_status, code) => {
  const answers = [
    { in_progress: true, status: 'open' },
    { in_progress: false, status, transaction_status },
  ]
  const hosted = createHttpServer(({ method }, response) => {
    if (method === 'POST') response.writeHead(202).end('{"status":"pending"}')
    else response.end(JSON.stringify({ data: answers.shift() }))
  })
  await new Promise<void>(resolve => hosted.listen(0, '127.0.0.1', resolve))
  const { port } = hosted.address() as AddressInfo
  const paid = await run('pay', ['cs_1', 'cash'], { HOSTED_URL: `http://127.0.0.1:${port}` })
  hosted.close()
  expect(paid).toMatchObject({ code, stdout: `202 {"status":"pending"}\nthen ${status}, ${transaction_status}\n` })
})

test('npm stop ends the processes that a killed launcher left', async () => {
  const orphan = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' })
  const exited = new Promise(resolve => orphan.once('exit', (_code, signal) => resolve(signal)))
  const identity = identifyProcess(orphan.pid ?? 0)
  const ended = { ...identity, startedAt: 'earlier' }
  await writeFile(join(dir, 'launcher.json'), JSON.stringify({ ...ended, ready: true }))
  await writeFile(join(dir, 'processes.json'), JSON.stringify([ended, identity]))
  expect((await run('stop')).code).toBe(0)
  expect(await exited).toBe('SIGTERM')
  expect(existsSync(join(dir, 'processes.json'))).toBe(false)
})

test('npm stop without a stack succeeds', async () => {
  expect(await run('stop')).toMatchObject({ code: 0, stdout: 'No stack is running.\n' })
})

test('npm run reset deletes the files of the stack and no others', async () => {
  for (const file of ['secrets.json', 'audit-checkpoints.ndjson']) await writeFile(join(dir, file), '{}')
  await writeFile(join(dir, 'letter.txt'), 'mine')
  expect((await run('reset')).code).toBe(0)
  const remaining = await runCommand('ls', [dir])
  expect(remaining.stdout).toBe('letter.txt\n')
})

test('npm run reset drops the database that the stack created on another server, and deletes an empty directory', async () => {
  const adminUrl = process.env.TEST_POSTGRES_URL ?? ''
  const database = `test_${randomBytes(8).toString('hex')}`
  await prepareDatabase({ adminUrl, database, schemas: [] })
  await writeFile(join(dir, 'made-database.json'), JSON.stringify({ adminUrl, database }))
  expect((await run('reset')).code).toBe(0)
  expect(existsSync(dir)).toBe(false)
  const url = Object.assign(new URL(adminUrl), { pathname: `/${database}` }).href
  await expect(withClient(url, async () => undefined)).rejects.toThrow('does not exist')
})

test('npm test counts the check of advisories as skipped if the registry does not answer, and succeeds', async () => {
  const registry = 'http://127.0.0.1:9/'
  const checked = await run('test', ['--only', 'advisories'], { PNPM_CONFIG_REGISTRY: registry })
  expect(checked.code).toBe(0)
  expect(checked.stdout).toContain('SKIPPED: advisories were not checked, because the registry is out of reach')
  expect(checked.stdout).toMatch(/\n0 passed, 0 failed, 1 skipped\n$/)
  expect(checked.stdout + checked.stderr).not.toContain('127.0.0.1')
})

test('npm test rejects unknown steps and options', async () => {
  expect((await run('test', ['--only', 'nothing'])).stderr).toMatch(
    /^Unknown step nothing: expected one of lint, generated, description, types/,
  )
  expect((await run('test', ['--nonsense'])).stderr).toMatch(
    /Options of npm test -- are --only <step>, --filter <package or part of a path>/,
  )
})

const listen = (port: number): Promise<Server> =>
  new Promise(resolve => {
    const server = createServer().listen(port, '127.0.0.1', () => resolve(server))
  })
