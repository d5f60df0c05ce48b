import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { programEnv, waitFor } from '@cobro/testing'

interface Line {
  level: string
  msg: string
  err?: { message: string }
}

const folder = `${import.meta.dirname}/..`
const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

/** Runs the fixture in a separate process, because the tests check how a process ends. */
function run(mode: string, { command = [], env = {} }: { command?: string[]; env?: Record<string, string> } = {}) {
  const args = ['--conditions=cobro-source', 'test/fixtures/stopping-service.ts', ...command]
  const child = spawn(process.execPath, args, { cwd: folder, env: { ...programEnv(), MODE: mode, ...env } })
  children.push(child)
  const lines: Line[] = []
  let errors = ''
  createInterface(child.stdout).on('line', line => lines.push(JSON.parse(line) as Line))
  child.stderr.on('data', chunk => (errors += chunk))
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }))
  const messages = () => lines.map(line => line.msg)
  return {
    lines,
    messages,
    ended,
    errors: () => errors,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    until: (message: string) => waitFor(() => messages().includes(message)),
  }
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s stops a service in the reverse order of its start, with exit code 0',
  async signal => {
    const service = run('')
    await service.until('started')
    service.kill(signal)
    // A second signal changes nothing.
    service.kill(signal === 'SIGTERM' ? 'SIGINT' : 'SIGTERM')
    expect(await service.ended).toEqual({ code: 0, signal: null })
    expect(service.messages()).toEqual(['started', 'released second', 'released first'])
    expect(service.errors()).toBe('')
  },
)

test('a failed start releases what was started, logs the reason, and exits with 1', async () => {
  const service = run('start fails')
  expect((await service.ended).code).toBe(1)
  expect(service.messages()).toEqual(['start failed', 'released second', 'released first'])
  expect(service.lines[0]).toMatchObject({ level: 'fatal', err: { message: 'no port is free' } })
})

test('SIGTERM during a start releases what has been started', async () => {
  const service = run('start is slow')
  await service.until('starting')
  service.kill('SIGTERM')
  expect((await service.ended).code).toBe(0)
  expect(service.messages()).toEqual(['starting', 'released second', 'released first'])
})

test('a failed release is logged, and the other releases still run', async () => {
  const service = run('release fails')
  await service.until('started')
  service.kill('SIGTERM')
  expect((await service.ended).code).toBe(0)
  expect(service.messages()).toEqual(['started', 'released second', 'a step of the stop failed', 'released first'])
})

test('a stop that takes longer than forty seconds exits with 1', async () => {
  const service = run('release hangs')
  await service.until('started')
  service.kill('SIGTERM')
  expect((await service.ended).code).toBe(1)
  expect(service.messages()).toEqual(['started', 'released second', 'released in time', 'did not stop in time'])
})

test('an uncaught error is logged and ends the process with 1', async () => {
  const service = run('throws later')
  expect((await service.ended).code).toBe(1)
  expect(service.lines.at(-1)).toMatchObject({
    level: 'fatal',
    msg: 'uncaught error',
    err: { message: 'no handler caught this' },
  })
})

test('a command other than start releases its resources at its end and exits with 0, or with 1 if it failed', async () => {
  const migrated = run('', { command: ['migrate'] })
  expect((await migrated.ended).code).toBe(0)
  expect(migrated.messages()).toEqual(['migrated', 'released migrate'])
  const failed = run('migrate fails', { command: ['migrate'] })
  expect((await failed.ended).code).toBe(1)
  expect(failed.messages()).toEqual(['migrate failed', 'released migrate'])
})

test.each(['migarte', 'constructor', '__proto__'])(
  'the unknown command %s is rejected with a list of the known ones',
  async name => {
    const service = run('', { command: [name] })
    expect((await service.ended).code).toBe(1)
    expect(service.messages()).toEqual([`unknown command ${name}: expected one of start, migrate`])
  },
)

test('a full disk that takes no log lines fails no command', async () => {
  const full = openSync('/dev/full', 'w')
  const args = ['--conditions=cobro-source', 'test/fixtures/stopping-service.ts', 'migrate']
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', full, 'pipe'] })
  children.push(child)
  closeSync(full)
  const [[code], errors] = await Promise.all([once(child, 'close'), text(child.stderr as Readable)])
  expect([code, errors]).toEqual([0, ''])
})

test('an invalid log level does not fail the logger', async () => {
  const service = run('start fails', { env: { LOG_LEVEL: 'LOUD' } })
  expect((await service.ended).code).toBe(1)
  expect(service.messages()[0]).toBe('start failed')
})
