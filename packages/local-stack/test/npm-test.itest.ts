import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { runCommand } from '../src/machine/run-command.ts'

const program = ['--conditions=cobro-source', join(import.meta.dirname, '../src/commands/test.ts')]
const passedOn = [
  'PATH',
  'HOME',
  'CHROMIUM_PATH',
  'PGBOUNCER_PATH',
  'TEST_POSTGRES_URL',
  'TEST_AMQP_URL',
  'TEST_RABBITMQ_API_URL',
] as const
const envWith = (more: Record<string, string>) => ({
  ...Object.fromEntries(passedOn.map(name => [name, process.env[name]])),
  ...more,
})
const npmTest = (args: string[], env: Record<string, string> = {}) =>
  runCommand(process.execPath, [...program, ...args], { env: envWith(env) })
const file = 'packages/local-stack/test/broker-logins.itest.ts'
const integration = ['--only', 'integration', '--filter', file]

test('npm test counts passed and failed tests and hooks, prints how to repeat each failed one, and exits with 1', async () => {
  const { code, stdout } = await npmTest(integration, { TEST_RABBITMQ_API_URL: 'http://127.0.0.1:1' })
  expect(code).toBe(1)
  expect(stdout).toContain(`npm test -- --filter ${file} --test '^the login of a service administers no management API`)
  expect(stdout).toMatch(/\n1 passed, 2 failed\n$/)
})

test('npm test fails if no test has the given name', async () => {
  const { code, stderr } = await npmTest([
    '--only',
    'integration',
    '--filter',
    'changed-files',
    '--test',
    'no such name',
  ])
  expect(code).toBe(1)
  expect(stderr).toContain('No test has a name that matches no such name.\n')
})

test('npm test counts a step whose environment cannot be prepared as failed', async () => {
  const { code, stdout, stderr } = await npmTest(integration, { TEST_POSTGRES_URL: 'nonsense' })
  expect(code).toBe(1)
  expect(stderr).toContain('Invalid URL')
  expect(stdout).toContain('npm test -- --only integration')
  expect(stdout).toMatch(/\n0 passed, 1 failed\n$/)
})

test('npm test ends the processes of a step at SIGTERM, and counts the step as failed', async () => {
  const registry = createServer().listen(0, '127.0.0.1')
  const asked = new Promise<void>(resolve => {
    // Does not answer: the request ends when the process that made it does.
    registry.once('request', (_request, response) => {
      response.once('close', () => registry.close())
      resolve()
    })
  })
  const closed = new Promise(resolve => registry.once('close', resolve))
  await new Promise(resolve => registry.once('listening', resolve))
  const { port } = registry.address() as AddressInfo
  // Left running, pnpm would wait for longer than this test may take.
  const env = envWith({ PNPM_CONFIG_REGISTRY: `http://127.0.0.1:${port}/`, PNPM_CONFIG_FETCH_TIMEOUT: '600000' })
  const child = spawn(process.execPath, [...program, '--only', 'advisories'], { env })
  const exited = new Promise<number | null>(resolve => child.once('exit', resolve))
  const output = text(child.stdout)
  await asked
  child.kill('SIGTERM')
  expect(await exited).toBe(1)
  expect(await output).toContain('npm test -- --only advisories')
  // The check itself gives up after 20 s.
  expect(await output).not.toContain('SKIPPED')
  await closed
}, 60_000)

test.each([
  ['cannot be started', undefined, /^spawn jest ENOENT\n$/],
  ['ends without a report', '#!/bin/sh\necho out of memory >&2\nexit 3\n', /^out of memory\n$/],
])('npm test counts a step as failed whose Jest %s', async (_, jest, printed) => {
  const folder = await mkdtemp(join(tmpdir(), 'cobro-jest-'))
  try {
    if (jest) await writeFile(join(folder, 'jest'), jest, { mode: 0o755 })
    const { code, stdout, stderr } = await npmTest(integration, { PATH: folder })
    expect([code, stderr]).toEqual([1, expect.stringMatching(printed)])
    expect(stdout).toMatch(/\n0 passed, 1 failed\n$/)
  } finally {
    await rm(folder, { recursive: true })
  }
})
