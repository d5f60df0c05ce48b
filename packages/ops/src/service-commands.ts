import { resolve } from 'node:path'
import type { StackServiceName } from '@cobro/local-stack'
import { commandFault } from './command-fault.ts'
import { findLauncher } from './launcher.ts'
import { readArguments } from './read-arguments.ts'
import { UsageFault } from './usage-fault.ts'

/** `resync merchants`, `keys rotate`, `ledger check`: a service's own command that is given nothing. */
export const plainCommand = (service: StackServiceName, command: string) => (args: string[]) => {
  readArguments(args, {})
  return () => runOwn(service, [command])
}

/** `refund transferred <refund id> --by <name>`. */
export function noteTransferred(args: string[]) {
  const { positionals, values } = readArguments(args, { by: { type: 'string' } }, 1)
  const [id] = positionals
  const { by } = values
  if (!id || !by?.trim()) throw new UsageFault('Name the refund that was transferred, and by --by who did it.')
  return () => runOwn('transactions', ['refund-transferred', id, `--by=${by}`])
}

/** `audit verify [--checkpoint FILE]`. */
export function verifyAudit(args: string[]) {
  const { checkpoint } = readArguments(args, { checkpoint: { type: 'string' } }).values
  // A service's command runs in the service's folder; a file is where whoever names it stands, which npm and pnpm leave.
  const file = checkpoint && resolve(process.env.INIT_CWD || process.cwd(), checkpoint)
  return () => runOwn('audit-log', file ? ['verify', '--checkpoint', file] : ['verify'])
}

/** A command that is one of a service's own: it runs beside the service, with its settings, and says itself what came of it. */
async function runOwn(service: StackServiceName, [command = '', ...args]: string[]): Promise<number> {
  const launcher = await findLauncher()
  if (!launcher) throw commandFault(`This is a command of the image of ${service}: run that one with ${command}.`)
  return launcher.runServiceCli(service, [command, ...args])
}
