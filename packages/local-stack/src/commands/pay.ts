import { runCli } from '../machine/cli.ts'
import { userError } from '../machine/user-error.ts'
import { payByCard, payInCash, waitForPaymentResult } from '../payer/hosted-payment.ts'
import { readStack } from '../stack/stack-file.ts'

const approvedCard = '4242424242424242'

await runCli(async () => {
  const [idOrUrl, ...rest] = process.argv.slice(2)
  if (!idOrUrl) throw userError('Usage: npm run pay -- <id or URL of a session or payment link> [card number, or cash]')
  const hostedUrl = hostedUrlOf(idOrUrl)
  const method = rest.join('') || approvedCard
  const result = await (method === 'cash' ? payInCash(hostedUrl, idOrUrl) : payByCard(hostedUrl, idOrUrl, method))
  console.log(`${result.status} ${JSON.stringify(result.body)}`)
  if (result.body.voucher) return 0
  if (result.status !== 202) return result.status === 200 ? 0 : 1
  const payment = await waitForPaymentResult(hostedUrl, idOrUrl)
  console.log(`then ${payment.status}, ${payment.transaction_status}`)
  return payment.transaction_status === 'Approved' ? 0 : 1
})

/** Returns a URL's origin, or else HOSTED_URL (set in containers), or else the local stack's. */
function hostedUrlOf(idOrUrl: string): string {
  if (URL.canParse(idOrUrl)) return new URL(idOrUrl).origin
  const hostedUrl = process.env.HOSTED_URL || readStack()?.hosted_url
  if (!hostedUrl) throw userError('No stack is running: npm start starts one.')
  return hostedUrl
}
