import { pay } from '@cobro/local-stack/pay'
import type { Command } from 'commander'
import { asPayer } from '../connection/as-payer.ts'
import { connect, type GlobalOptions, profileOf } from '../connection/connect.ts'

/** Adds `pay`, which pays in the sandbox as a payer would on the hosted page. */
export function addPayCommand(program: Command): void {
  program
    .command('pay')
    .description('Pay a session or payment link as its payer, with a test card or in cash')
    .argument('<id or URL>')
    .argument('[card number or cash...]')
    .action(async (idOrUrl: string, method: string[], _options, command: Command) => {
      const hostedUrl = await hostedUrlOf(idOrUrl, command.optsWithGlobals<GlobalOptions>())
      process.exitCode = await asPayer(hostedUrl, () => pay(hostedUrl, idOrUrl, method.join('') || undefined))
    })
}

/** The API names the origin of the payers' pages. Without a credential it is taken for that of the deployment. */
async function hostedUrlOf(idOrUrl: string, options: GlobalOptions): Promise<string> {
  if (URL.canParse(idOrUrl)) return new URL(idOrUrl).origin
  const { base_url, api_key, api_key_command, session } = profileOf(options).profile
  if (!api_key && !api_key_command && !session) return base_url
  return (await connect(options).cobro.me()).hosted_url
}
