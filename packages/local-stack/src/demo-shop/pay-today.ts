import { userError } from '../machine/user-error.ts'
import { type HostedPaymentResponse, payByCard, payInCash } from '../payer/hosted-payment.ts'
import { basket } from './order-content.ts'
import { shopRandom } from './shop-random.ts'

/** The API of a running stack, with a key of the shop. */
interface ShopApi {
  url: string
  key: string
}

const [approved, poor, expired] = ['4242424242424242', '4000000000009995', '4000000000000069'] as const

/** How the orders of today are paid: with each card in turn, or without one in cash. */
const orders: readonly { cards: readonly string[]; isRefunded?: true }[] = [
  { cards: [approved] },
  { cards: [expired] },
  { cards: [] },
  { cards: [approved], isRefunded: true },
  { cards: [poor, approved] },
]

/**
 * Pays a few orders of the shop as its payers would, so that there are payments with everything on record, which the past has
 * not. An order that has a payment is left as it is. Throws if the API does not do its part.
 */
export async function payToday(api: ShopApi): Promise<void> {
  for (const [number, { cards, isRefunded }] of orders.entries()) {
    const order = `LE-TODAY-${number + 1}`
    if ((await paymentsOf(api, order)).length > 0) continue
    const { id } = await call(api, 'POST /checkout/v1/sessions', {
      line_items: basket(shopRandom('today', String(number))).line_items,
      ...{ external_id: order, payment_method_types: ['card', 'cash'], success_url: 'https://example.com/gracias' },
    })
    for (const card of cards) checkPaid(await payByCard(api.url, id, card))
    if (cards.length === 0) checkPaid(await payInCash(api.url, id))
    const [payment] = isRefunded ? await paymentsOf(api, order) : []
    if (payment) await call(api, `POST /api/transactions/${payment.id}/refund`)
  }
}

const paymentsOf = async (api: ShopApi, order: string): Promise<{ id: string }[]> =>
  (await call(api, `GET /api/transactions?order_id=${order}`)).data

function checkPaid({ status, body }: HostedPaymentResponse): void {
  if (status >= 400 && !body.declined) throw userError(`A payment was answered with ${status}: ${body.error}`)
}

// biome-ignore lint/suspicious/noExplicitAny: the services own the response schemas.
async function call({ url, key }: ShopApi, operation: string, body?: object): Promise<any> {
  const [method = '', path] = operation.split(' ')
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Token ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw userError(`${operation} was answered with ${answer.status}: ${await answer.text()}`)
  return answer.json()
}
