import type { Command } from 'commander'
import { openInBrowser } from '../browser/open-in-browser.ts'
import { connect, type GlobalOptions, profileOf } from '../connection/connect.ts'
import { CommandError } from '../output/failures.ts'
import { printLine, tell } from '../output/print.ts'

interface OpenOptions extends GlobalOptions {
  print?: boolean
}

/** Adds `open`, which shows the documentation, or what a payer sees, in the browser. */
export function addOpenCommand(program: Command): void {
  program
    .command('open')
    .description('Open the documentation, or the page of a session or payment link, in the browser')
    .argument('[page]', 'a page of the documentation such as guides/webhooks, or an id: cs_… or pl_…')
    .option('--print', 'print the URL only')
    .action(async (page: string | undefined, _options, command: Command) => {
      const options = command.optsWithGlobals<OpenOptions>()
      const url = await urlOf(page, options)
      if (options.print) return printLine(url)
      const isOpen = await openInBrowser(url)
      if (!isOpen) printLine(url)
      if (!options.quiet) tell(isOpen ? `Opened ${url}` : 'No browser could be opened here.')
    })
}

async function urlOf(page: string | undefined, options: GlobalOptions): Promise<string> {
  if (page !== undefined && /^(?:cs|pl)_/.test(page)) return payersPage(page, options)
  if (page !== undefined && !/^[\w-]+(?:[/.#][\w-]+)*$/.test(page)) {
    throw new CommandError(`${page} is no page.`, { hint: 'Such as: cobro open guides/webhooks' })
  }
  return new URL(page === undefined ? '/docs' : `/docs/${page}`, profileOf(options).profile.base_url).href
}

/** Returns the URL that payers get. The API names it, since it may be at another host. */
async function payersPage(id: string, options: GlobalOptions): Promise<string> {
  const { cobro } = connect(options)
  const { url } = await (id.startsWith('cs_') ? cobro.checkout.sessions.retrieve(id) : cobro.paymentLinks.retrieve(id))
  // What is opened may start a program.
  if (!/^https?:\/\//.test(url)) throw new CommandError(`The page of ${id} is no http URL.`)
  return url
}
