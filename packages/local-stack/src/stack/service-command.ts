import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { databaseUrls } from '../database/prepare-database.ts'
import { type StackServiceName, stackServiceNames } from '../layout/stack-layout.ts'
import { stackDirectory } from '../layout/stack-paths.ts'
import { userError } from '../machine/user-error.ts'
import { brokerUrls } from '../servers/broker-logins.ts'
import { loadSecrets } from '../services/secrets.ts'
import { serviceCommandLine } from '../services/service-program.ts'
import { serviceSettings } from '../services/service-settings.ts'
import { readStack } from './stack-file.ts'

/**
 * Runs a service's command with its output in the terminal, and returns its exit code. The settings
 * come from the environment if DATABASE_URL is set there, or else from the running local stack.
 */
export async function runServiceCli(service: StackServiceName, args: string[]): Promise<number> {
  const env = process.env.DATABASE_URL ? process.env : await localSettings(service)
  const child = startServiceCommand(service, args, { env, stdout: 'inherit' })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}

/**
 * Runs a service's command as `runServiceCli` does, but returns what it printed. Its settings come from `env` if that is given.
 */
export async function readServiceCli(
  service: StackServiceName,
  args: string[],
  env?: NodeJS.ProcessEnv,
): Promise<{ code: number; stdout: string }> {
  const child = startServiceCommand(service, args, { env: env ?? (await localSettings(service)), stdout: 'pipe' })
  const [stdout, [code]] = await Promise.all([text(child.stdout as Readable), once(child, 'exit')])
  return { code: code ?? 1, stdout }
}

function startServiceCommand(
  service: StackServiceName,
  args: string[],
  { env, stdout }: { env: NodeJS.ProcessEnv; stdout: 'inherit' | 'pipe' },
): ChildProcess {
  // Commands print their result, so only warnings are logged unless LOG_LEVEL says otherwise.
  const quietEnv = { LOG_LEVEL: 'warn', ...env }
  const { command, args: commandArgs, cwd } = serviceCommandLine(service, args)
  return spawn(command, commandArgs, { cwd, env: quietEnv, stdio: ['inherit', stdout, 'inherit'] })
}

/** Returns the settings of a service of the running local stack. */
export async function localSettings(service: StackServiceName): Promise<Record<string, string>> {
  const stack = readStack()
  if (!stack)
    throw userError(
      'No stack is running here: run npm start, or set the settings of the service as environment variables.',
    )
  const dir = stackDirectory()
  const ports = Object.fromEntries(stackServiceNames.map(name => [name, stack.services[name]?.port ?? 0]))
  return serviceSettings(service, {
    dir,
    secrets: await loadSecrets(dir),
    ports: ports as Record<StackServiceName, number>,
    database: databaseUrls(stack.postgres_url, new URL(stack.postgres_url).pathname.slice(1)),
    broker: brokerUrls(stack.amqp_url, 'cobro'),
    namespace: 'cobro',
  })
}
