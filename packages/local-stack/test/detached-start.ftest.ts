import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../src/machine/run-command.ts'
import type { Stack } from '../src/stack/stack-file.ts'
import { unusedPortBase } from './unused-port-base.ts'

test('a detached start prints the credentials of the stack and logs none of them', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'cobro-detached-'))
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    COBRO_DIR: dir,
    COBRO_PORT_BASE: String(await unusedPortBase()),
  }
  const run = (command: string, ...args: string[]) => {
    const program = join(import.meta.dirname, `../src/commands/${command}.ts`)
    return runCommand(process.execPath, ['--conditions=cobro-source', program, ...args], { env, timeoutMs: 180_000 })
  }
  try {
    const started = await run('start', '--detach')
    expect([started.code, started.stderr]).toEqual([0, ''])
    const stack = JSON.parse(await readFile(join(dir, 'stack.json'), 'utf8')) as Stack
    const secrets = [stack.api_key, stack.operator.password, stack.client.password, stack.postgres_url, stack.amqp_url]
    for (const secret of secrets) expect(started.stdout).toContain(secret)
    const log = await readFile(join(dir, 'logs', 'launcher.log'), 'utf8')
    expect(log).toContain('everything is ready')
    for (const secret of [...secrets, stack.second.api_key, stack.second.client.password])
      expect(log).not.toContain(secret)
  } finally {
    expect((await run('stop')).code).toBe(0)
    await rm(dir, { recursive: true, force: true })
  }
})
