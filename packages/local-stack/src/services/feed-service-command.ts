import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { createInterface } from 'node:readline'
import type { StackServiceName } from '../layout/stack-layout.ts'
import { userError } from '../machine/user-error.ts'
import { serviceCommandLine } from './service-program.ts'

/** How much lower the priority of work in the background is: payments come first. */
const backgroundPriority = 10
const keptLines = 20

/** How to run a command in the background. */
interface FedCommand {
  env: Record<string, string>
  input: string
  onLine: (line: string) => void
  /** Ends the command when it is aborted; the call then throws its reason. */
  signal: AbortSignal
}

/**
 * Runs a service's command with a low priority, feeds it an input, and passes each line that it prints on. Throws with its last
 * lines if it fails.
 */
export async function feedServiceCommand(
  service: StackServiceName,
  command: string,
  { env, input, onLine, signal }: FedCommand,
): Promise<void> {
  signal.throwIfAborted()
  const { command: node, args, cwd } = serviceCommandLine(service, [command])
  // In its own group, so that Ctrl-C reaches only the launcher, which aborts the signal.
  const options = { cwd, env: { LOG_LEVEL: 'warn', ...env }, detached: true }
  const child = spawn(node, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] })
  if (child.pid) setPriority(child.pid, backgroundPriority)
  const end = () => void child.kill('SIGTERM')
  signal.addEventListener('abort', end)
  const last: string[] = []
  for (const output of [child.stdout, child.stderr])
    createInterface(output).on('line', line => {
      last.splice(0, Math.max(0, last.push(line) - keptLines))
      onLine(line)
    })
  // A command that fails early reads no input. Its exit code says so.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [code] = (await once(child, 'close')) as [number | null]
  signal.removeEventListener('abort', end)
  signal.throwIfAborted()
  if (code !== 0) throw userError(`${service}: the command ${command} failed. Its last lines:\n${last.join('\n')}`)
}
