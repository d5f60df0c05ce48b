import { pay } from '@cobro/local-stack/pay'
import { UserError } from '@cobro/local-stack/user-error'
import type { Command } from 'commander'
import { type GlobalOptions, profileOf } from '../connection/connect.ts'
import { CommandError, exitCodes } from '../output/failures.ts'

/** Adds `pay`, which pays in the sandbox as a payer would on the hosted page. */
export function addPayCommand(program: Command): void {
  program
    .command('pay')
    .description('Pay a session or payment link as its payer, with a test card or in cash')
    .argument('<id or URL>')
    .argument('[card number or cash...]')
    .action(async (idOrUrl: string, method: string[], _options, command: Command) => {
      const hostedUrl = URL.canParse(idOrUrl)
        ? new URL(idOrUrl).origin
        : profileOf(command.optsWithGlobals<GlobalOptions>()).profile.base_url
      try {
        process.exitCode = await pay(hostedUrl, idOrUrl, method.join('') || undefined)
      } catch (error) {
        const isAway = error instanceof UserError && error.cause !== undefined
        if (isAway) throw new CommandError(`Cannot reach ${hostedUrl}.`, { exitCode: exitCodes.unreachable })
        throw error instanceof UserError ? new CommandError(error.message) : error
      }
    })
}
