import { encryptTestCard, hostedApiUrl } from '@cobro/local-stack'
import pLimit from 'p-limit'
import { type AcceptanceStack, acceptanceStack } from '../src/acceptance-stack.ts'
import { type ApiClient, apiClient, clientsOf } from '../src/api-client.ts'

const long = process.env.COBRO_TEST_LONG === '1'
const tried = long ? 5_000 : 1_000
const honest = long ? 1_000 : 100
const atOnce = 16
const declinedCard = '4000000000000002'
const order = { return_url: 'https://shop.mx' }

let stack: AcceptanceStack
let merchant: ApiClient
beforeAll(async () => {
  stack = await acceptanceStack({ gateway: { TRUSTED_PROXIES: '127.0.0.0/8' } })
  merchant = (await clientsOf(stack.stack)).merchant
})
afterAll(() => stack?.stop())

/** Calls from an address, as a proxy forwards them. */
const from = (address: string) => apiClient(stack.stack.base_url, { 'x-forwarded-for': address })

/** Pays as the page does, and returns the outcome or the error code. */
async function pay(payer: ApiClient, id: string, card: string, read = readHosted(payer, id)): Promise<string> {
  const { path, hosted } = await read
  const card_jwe = await encryptTestCard(hosted, card)
  const { body } = await payer.call('POST', `${path}/payments`, { method: 'card', card_jwe })
  return body.status ?? String(body.error).split(':')[0]
}

async function readHosted(payer: ApiClient, id: string) {
  const path = new URL(hostedApiUrl(stack.stack.base_url, id)).pathname
  return { path, hosted: (await payer.call('GET', path)).body.data }
}

async function concurrently(count: number, work: (number: number) => Promise<string>): Promise<Record<string, number>> {
  const limited = pLimit(atOnce)
  const results = await Promise.all(Array.from({ length: count }, (_, number) => limited(() => work(number))))
  const byResult = Object.groupBy(results, result => result)
  return Object.fromEntries(Object.entries(byResult).map(([result, all]) => [result, all?.length ?? 0]))
}

test('of the cards that 50 addresses try on one link, at most 1 % reach the acquirer', async () => {
  const { id } = (await merchant.call('POST', '/checkout/v1/links', { amount_cents: 9_900, concepto: 'Curso' })).body
    .data
  const read = readHosted(from('203.0.113.1'), id)
  const results = await concurrently(tried, number => pay(from(`203.0.113.${number % 50}`), id, declinedCard, read))
  const [asked] = await stack.query(`select (select count(*)::int from acquirer_sandbox.tokens) as tokens,
    (select count(*)::int from acquirer_sandbox.charges) as charges`)
  process.stdout.write(`card testing through the gateway: ${JSON.stringify({ ...results, ...asked })}\n`)
  expect(asked.tokens).toBeLessThanOrEqual(tried / 100)
  expect(asked.charges).toBeLessThanOrEqual(tried / 100)
  expect(results.rate_limited).toBeGreaterThan(tried / 2)
})

test('payers behind one address pay their own sessions, some at the second try', async () => {
  const office = from('198.51.100.7')
  const results = await concurrently(honest, async number => {
    const { id } = (await merchant.call('POST', '/checkout/v1/sessions', { ...order, amount_total: 25_000 })).body
    if (number % 20 === 0) expect(await pay(office, id, declinedCard)).toBe('card_declined')
    return pay(office, id, '4242424242424242')
  })
  expect(results).toEqual({ approved: honest })
}, 600_000)
