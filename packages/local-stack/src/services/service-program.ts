import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { StackServiceName } from '../layout/stack-layout.ts'
import { repositoryRoot } from '../layout/stack-paths.ts'
import { lastLines, type ManagedProcess, startProcess } from '../machine/managed-process.ts'
import { runCommand } from '../machine/run-command.ts'
import { userError } from '../machine/user-error.ts'

const servicesFolder = join(repositoryRoot, 'services')

/** How to run a service, and where it listens and logs. */
export interface ServiceProgram {
  name: StackServiceName
  env: Record<string, string>
  logFile: string
  url: string
}

const sources = '--conditions=cobro-source'
/**
 * The MB of each half of the space for new objects, and by how many percent old objects may grow before they are collected.
 * Without these options and `heapEnv` a service under load holds more memory, and takes ever more (ADR 84). The image and the
 * script `start` of each service have the same settings.
 */
export const heapOptions = ['--max-semi-space-size=8', '--heap-growing-percent=100'] as const
/** How many heaps of glibc all threads share. */
const heapEnv = { MALLOC_ARENA_MAX: '2' } as const

/** Starts a service without waiting until it is ready. */
export const startService = ({ name, env, logFile }: ServiceProgram): Promise<ManagedProcess> =>
  startProcess({
    name,
    command: process.execPath,
    args: [...heapOptions, sources, '--import', '@cobro/runtime/telemetry', 'src/main.ts'],
    cwd: join(servicesFolder, name),
    env: { ...heapEnv, ...env },
    logFile,
  })

/** Returns whether the readiness check of a service succeeds. */
export const isReady = async (url: string): Promise<boolean> => (await answerOf(`${url}/health/ready`)) !== undefined

/** Returns whether a gateway reaches all that it needs. */
export async function isHealthy(gatewayUrl: string): Promise<boolean> {
  const answer = await answerOf(`${gatewayUrl}/health`)
  return answer !== undefined && JSON.parse(answer).status === 'ok'
}

/** Returns the body of a successful answer. */
async function answerOf(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) })
    const body = await response.text()
    return response.ok ? body : undefined
  } catch {
    return undefined
  }
}

/** Returns how to run one of a service's commands. */
export const serviceCommandLine = (name: StackServiceName, args: string[]) => ({
  command: process.execPath,
  args: [sources, 'src/main.ts', ...args],
  cwd: join(servicesFolder, name),
})

/** Runs one of a service's commands, such as `migrate`, and returns its output. */
export async function runServiceCommand(
  program: ServiceProgram,
  command: string | string[],
  input?: string,
): Promise<string> {
  const { name, env, logFile } = program
  const { command: node, args, cwd } = serviceCommandLine(name, [command].flat())
  const result = await runCommand(node, args, {
    cwd,
    env,
    input,
    timeoutMs: 120_000,
  })
  if (result.ok) return result.stdout
  await appendFile(logFile, `${result.stdout}${result.stderr}`)
  throw userError(
    `${name}: the command ${[command].flat().join(' ')} failed. Last lines of ${logFile}:\n${lastLines(logFile)}`,
  )
}
