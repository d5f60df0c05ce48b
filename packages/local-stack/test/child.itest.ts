import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startProcess, waitUntilReady } from '../src/machine/managed-process.ts'
import { identifyProcess, isRunning } from '../src/machine/process-identity.ts'

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

test('a stopped process is gone, with what it was told kept in its log', async () => {
  const child = await node(`console.log('hello'); setInterval(() => {}, 1000)`)
  expect(isRunning(child.identity)).toBe(true)
  await child.stop()
  expect(isRunning(child.identity)).toBe(false)
  expect(child.exitReason()).toBe('was ended by SIGTERM')
  await child.stop()
})

test('a process that does not want to stop is ended with its own children', async () => {
  const child = await node(`
    const nested = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    process.on('SIGTERM', () => {})
    console.log('nested', nested.pid)
    setInterval(() => {}, 1000)`)
  const said = async () => /nested (\d+)/.exec(await readFile(logFile, 'utf8'))?.[1]
  await waitUntilReady(child, {
    isReady: async () => (await said()) !== undefined,
    timeoutMs: 5_000,
    logFile,
    signal: undefined,
  })
  await child.stop({ timeoutMs: 100 })
  expect(child.exitReason()).toBe('was ended by SIGKILL')
  // Killed with the group, the grandchild is gone as soon as the system has reaped it.
  const deadline = Date.now() + 5_000
  while (identifyProcess(Number(await said())) && Date.now() < deadline) await sleep(10)
  expect(identifyProcess(Number(await said()))).toBeUndefined()
})

test('a process that ends before it is ready is a fault that shows its last words', async () => {
  const child = await node(`console.log('cannot go on'); process.exit(3)`)
  const ready = waitUntilReady(child, { isReady: async () => false, timeoutMs: 5_000, logFile, signal: undefined })
  await expect(ready).rejects.toThrow(/the child exited with code 3\..*cannot go on/s)
})

test('a program that is not there is a fault that names it', async () => {
  const child = startProcess({ name: 'x', command: '/no/such/program', args: [], env: {}, logFile })
  await expect(child).rejects.toThrow('/no/such/program could not be started')
})
