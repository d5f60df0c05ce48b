import { resolve } from 'node:path'
import type { StackServiceName } from '@cobro/local-stack'
import { CommandError } from './command-error.ts'
import { findLauncher } from './launcher.ts'
import { readArguments } from './read-arguments.ts'
import { UsageError } from './usage-error.ts'

/** `resync merchants`, `keys rotate`, `ledger check`: a service's command without arguments. */
export const commandWithoutArguments = (service: StackServiceName, command: string) => (args: string[]) => {
  readArguments(args, {})
  return () => runInService(service, [command])
}

/** `refund transferred <refund id> --by <name>`. */
export function recordTransfer(args: string[]) {
  const { positionals, values } = readArguments(args, { by: { type: 'string' } }, 1)
  const [id] = positionals
  const { by } = values
  if (!id || !by?.trim())
    throw new UsageError('Give the id of the transferred refund, and who transferred it with --by.')
  return () => runInService('transactions', ['refund-transferred', id, `--by=${by}`])
}

/** `audit verify [--checkpoint FILE]`. */
export function verifyAudit(args: string[]) {
  const { checkpoint } = readArguments(args, { checkpoint: { type: 'string' } }).values
  return () => runInService('audit-log', ['verify', ...checkpointArguments(checkpoint ? [checkpoint] : [])])
}

/** `audit accept-restore --reason <text> [--by <name>] [--checkpoint FILE]…`. */
export function acceptRestore(args: string[]) {
  const options = {
    reason: { type: 'string' },
    by: { type: 'string' },
    checkpoint: { type: 'string', multiple: true },
  } as const
  const { reason, by, checkpoint = [] } = readArguments(args, options).values
  if (!reason?.trim()) throw new UsageError('Give the reason for the restore with --reason.')
  const about = by?.trim() ? [`--reason=${reason}`, `--by=${by}`] : [`--reason=${reason}`]
  return () => runInService('audit-log', ['accept-restore', ...about, ...checkpointArguments(checkpoint)])
}

/** Files are relative to where npm or pnpm was called, but the command runs in the service's directory. */
function checkpointArguments(files: readonly string[]): string[] {
  return files.flatMap(file => ['--checkpoint', resolve(process.env.INIT_CWD || process.cwd(), file)])
}

/** Runs a service's own command with the service's settings. The command prints its result. */
async function runInService(service: StackServiceName, [command = '', ...args]: string[]): Promise<number> {
  const launcher = await findLauncher()
  if (!launcher) throw new CommandError(`This command is part of the ${service} image: run that image with ${command}.`)
  return launcher.runServiceCli(service, [command, ...args])
}
