import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { databaseUrls } from '../database/prepare-database.ts'
import { type StackServiceName, stackServiceNames } from '../layout/stack-layout.ts'
import { stackDirectory } from '../layout/stack-paths.ts'
import { userError } from '../machine/user-error.ts'
import { loadSecrets } from '../services/secrets.ts'
import { serviceCommandLine } from '../services/service-program.ts'
import { serviceSettings } from '../services/service-settings.ts'
import { readStack } from './stack-file.ts'

/**
 * Runs one of a service's commands in view of whoever asked for it, and gives its exit code. Its settings are those of the
 * environment where that names a database, else those that the service has in the stack that runs here.
 */
export async function runServiceCli(service: StackServiceName, args: string[]): Promise<number> {
  const env = process.env.DATABASE_URL ? process.env : await localSettings(service)
  // What a command has to say is its answer; how it came to it is asked for.
  const quiet = { LOG_LEVEL: 'warn', ...env }
  const { command, args: given, cwd } = serviceCommandLine(service, args)
  const child = spawn(command, given, { cwd, env: quiet, stdio: 'inherit' })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}

async function localSettings(service: StackServiceName): Promise<Record<string, string>> {
  const stack = readStack()
  if (!stack) throw userError('No stack is running here: give the settings of the service as variables, or npm start.')
  const dir = stackDirectory()
  const ports = Object.fromEntries(stackServiceNames.map(name => [name, stack.services[name]?.port ?? 0]))
  return serviceSettings(service, {
    dir,
    secrets: await loadSecrets(dir),
    ports: ports as Record<StackServiceName, number>,
    database: databaseUrls(stack.postgres_url, new URL(stack.postgres_url).pathname.slice(1)),
    amqpUrl: stack.amqp_url,
    namespace: 'cobro',
  })
}
