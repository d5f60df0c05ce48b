import { runCli } from '../machine/cli.ts'
import { userError } from '../machine/user-error.ts'
import { payByCard, payInCash, waitForPaymentResult } from '../payer/hosted-payment.ts'
import { readStack } from '../stack/stack-file.ts'

const approvedCard = '4242424242424242'

await runCli(async () => {
  const [idOrUrl, ...rest] = process.argv.slice(2)
  if (!idOrUrl) throw userError('Usage: npm run pay -- <id or URL of a session or link> [card number, or cash]')
  const hostedUrl = hostedUrlOf(idOrUrl)
  const means = rest.join('') || approvedCard
  const result = await (means === 'cash' ? payInCash(hostedUrl, idOrUrl) : payByCard(hostedUrl, idOrUrl, means))
  console.log(`${result.status} ${JSON.stringify(result.body)}`)
  if (result.body.voucher) return 0
  if (result.status !== 202) return result.status === 200 ? 0 : 1
  const outcome = await waitForPaymentResult(hostedUrl, idOrUrl)
  console.log(`then ${outcome.status}, ${outcome.transaction_status}`)
  return outcome.transaction_status === 'Approved' ? 0 : 1
})

/** A URL says itself where to pay; an id is paid at the stack that runs here, or where a container is told. */
function hostedUrlOf(idOrUrl: string): string {
  if (URL.canParse(idOrUrl)) return new URL(idOrUrl).origin
  const hostedUrl = process.env.HOSTED_URL || readStack()?.hosted_url
  if (!hostedUrl) throw userError('No stack is running: npm start starts one.')
  return hostedUrl
}
