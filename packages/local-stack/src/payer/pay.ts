import { payByCard, payInCash, waitForPaymentResult } from './hosted-payment.ts'

const approvedCard = '4242424242424242'

/**
 * Pays a session or link with a test card or in cash, and prints what the hosted API answers. Waits for a payment that is
 * still pending. Returns the exit code: 0 if it is approved, or has a voucher.
 */
export async function pay(hostedUrl: string, idOrUrl: string, method = approvedCard): Promise<number> {
  const result = await (method === 'cash' ? payInCash(hostedUrl, idOrUrl) : payByCard(hostedUrl, idOrUrl, method))
  process.stdout.write(`${result.status} ${JSON.stringify(result.body)}\n`)
  if (result.body.voucher) return 0
  if (result.status !== 202) return result.status === 200 ? 0 : 1
  const payment = await waitForPaymentResult(hostedUrl, idOrUrl)
  process.stdout.write(`then ${payment.status}, ${payment.transaction_status}\n`)
  return payment.transaction_status === 'Approved' ? 0 : 1
}
