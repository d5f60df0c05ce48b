import type { Command } from 'commander'
import { connect, type GlobalOptions } from '../connection/connect.ts'
import { checkGoLive } from '../go-live/check-go-live.ts'
import { exitCodes } from '../output/failures.ts'
import { formatOf, print } from '../output/print.ts'

interface StatusOptions extends GlobalOptions {
  goLive?: boolean
}

/** Adds `status`. */
export function addStatusCommand(program: Command): void {
  program
    .command('status')
    .description('Show whose credential is used, and whether the API answers')
    .option(
      '--go-live',
      'check what a program can of the go-live checklist instead; ends with 1 if something is missing',
    )
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<StatusOptions>()
      await (options.goLive ? showGoLive(options) : showStatus(options))
    })
}

async function showStatus(options: StatusOptions): Promise<void> {
  const { name, baseUrl, cobro } = connect(options)
  const [me, health] = await Promise.all([cobro.me(), cobro.health()])
  const { permissions: _permissions, ...caller } = me
  print({ profile: name, base_url: baseUrl, health: health.status, ...caller }, formatOf(options.output))
  if (health.status !== 'ok') process.exitCode = exitCodes.unreachable
}

async function showGoLive(options: StatusOptions): Promise<void> {
  const checks = await checkGoLive(connect(options).cobro, Date.now())
  print(checks, formatOf(options.output))
  if (checks.some(({ ok }) => !ok)) process.exitCode = exitCodes.refused
}
