import { runCli } from '../machine/cli.ts'
import { userError } from '../machine/user-error.ts'
import { pay } from '../payer/pay.ts'
import { readStack } from '../stack/stack-file.ts'

await runCli(async () => {
  const [idOrUrl, ...rest] = process.argv.slice(2)
  if (!idOrUrl) throw userError('Usage: npm run pay -- <id or URL of a session or payment link> [card number, or cash]')
  return pay(hostedUrlOf(idOrUrl), idOrUrl, rest.join('') || undefined)
})

/** Returns a URL's origin, or else HOSTED_URL (set in containers), or else the local stack's. */
function hostedUrlOf(idOrUrl: string): string {
  if (URL.canParse(idOrUrl)) return new URL(idOrUrl).origin
  const hostedUrl = process.env.HOSTED_URL || readStack()?.hosted_url
  if (!hostedUrl) throw userError('No stack is running: npm start starts one.')
  return hostedUrl
}
