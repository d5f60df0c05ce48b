import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
