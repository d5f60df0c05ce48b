import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startProcess, waitUntilReady } from '../src/machine/managed-process.ts'
import { identifyProcess, isRunning } from '../src/machine/process-identity.ts'

const minuteMs = 60_000
let dir: string
let logFile: string

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'cobro-child-'))
  logFile = join(dir, 'child.log')
})

afterAll(() => rm(dir, { recursive: true }))

const node = (script: string) =>
  startProcess({
    name: 'the child',
    command: process.execPath,
    args: ['-e', script],
    env: { PATH: process.env.PATH },
    logFile,
  })

test('stop ends a process that handles SIGTERM, and may be called twice', async () => {
  const child = await node(`console.log('hello'); setInterval(() => {}, 1000)`)
  expect(isRunning(child.identity)).toBe(true)
  await child.stop()
  expect(isRunning(child.identity)).toBe(false)
  expect(child.exitReason()).toBe('was killed by SIGTERM')
  await child.stop()
})

test('stop kills a process that ignores SIGTERM, together with its child processes', async () => {
  const child = await node(`
    const nested = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    process.on('SIGTERM', () => {})
    console.log('nested', nested.pid)
    setInterval(() => {}, 1000)`)
  const nestedPid = async () => /nested (\d+)/.exec(await readFile(logFile, 'utf8'))?.[1]
  await waitUntilReady(child, {
    isReady: async () => (await nestedPid()) !== undefined,
    logFile,
    signal: undefined,
  })
  await child.stop({ timeoutMs: 100 })
  expect(child.exitReason()).toBe('was killed by SIGKILL')
  // The grandchild was killed with the group and disappears once the system has reaped it.
  const deadline = Date.now() + minuteMs
  while (identifyProcess(Number(await nestedPid())) && Date.now() < deadline) await sleep(10)
  expect(identifyProcess(Number(await nestedPid()))).toBeUndefined()
})

test('waitUntilReady fails with the last log lines of a process that exits too early', async () => {
  const child = await node(`console.log('out of memory'); process.exit(3)`)
  const ready = waitUntilReady(child, { isReady: async () => false, logFile, signal: undefined })
  await expect(ready).rejects.toThrow(/the child exited with code 3\..*out of memory/s)
})

test('startProcess fails with the path of a program that does not exist', async () => {
  const child = startProcess({ name: 'x', command: '/no/such/program', args: [], env: {}, logFile })
  await expect(child).rejects.toThrow('/no/such/program could not be started')
})
