import { pay } from '@cobro/local-stack/pay'
import type { Command } from 'commander'
import { type GlobalOptions, profileOf } from '../connection/connect.ts'

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
      process.exitCode = await pay(hostedUrl, idOrUrl, method.join('') || undefined)
    })
}
