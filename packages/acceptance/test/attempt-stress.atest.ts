import { payHosted } from '@cobro/local'
import { waitFor } from '@cobro/testing'
import { type AcceptanceStack, acceptanceStack } from '../src/acceptance-stack.ts'
import { clientsOf } from '../src/api-client.ts'

let stack: AcceptanceStack
let clients: Awaited<ReturnType<typeof clientsOf>>
beforeAll(async () => {
  stack = await acceptanceStack()
  clients = await clientsOf(stack.stack)
}, 120_000)
afterAll(() => stack?.stop(), 60_000)

interface Payable {
  id: string
  correlation_id: string
  merchant_id: string
}
type Kind = 'sessions' | 'links'

const goodCard = '4242424242424242'
/** The acquirer answers this card after 15 s, which leaves the attempt running meanwhile. */
const slowCard = '4000000000000341'
/** The acquirer charges this card and cuts the connection. */
const cutCard = '4000000000006975'

const bodies = {
  sessions: { amount_total: 25_000, return_url: 'https://shop.mx' },
  links: { amount_cents: 25_000, concepto: 'Curso' },
}
const pageOf = { sessions: 'checkout', links: 'links' }
const finalEvent = { sessions: 'checkout_session.completed', links: 'payment_link.paid' }
const paidStatus = { sessions: 'completed', links: 'paid' }

async function open(kind: Kind, change: object = {}): Promise<Payable> {
  const { body } = await clients.merchant.call('POST', `/checkout/v1/${kind}`, { ...bodies[kind], ...change })
  return body.data ?? body
}
const pay = ({ id }: Payable, card: string) => payHosted(stack.stack.hosted_url, id, card)

/** Waits until an attempt is on record, so that what follows falls into it. */
const underway = ({ id }: Payable) =>
  waitFor(async () => {
    const rows = await stack.query('select 1 from checkout.payment_attempts where payable_id = $1', [id])
    return rows.length > 0
  })

/** Holds that a paid session or link was charged once, and that page, API, transaction and events say the same. */
async function expectPaidOnce(name: string, kind: Kind, payable: Payable): Promise<void> {
  const read = async () => {
    const { body } = await clients.merchant.call('GET', `/checkout/v1/${kind}/${payable.id}`)
    return body.data ?? body
  }
  await waitFor(async () => (await read()).status === paidStatus[kind], { timeoutMs: 40_000 })
  const page = await clients.payer.call('GET', `/hosted/v1/${pageOf[kind]}/${payable.id}`)
  const { body: list } = await clients.merchant.call(
    'GET',
    `/api/transactions?correlation_id=${payable.correlation_id}`,
  )
  const charges = await stack.query(
    `select c.status from acquirer_sandbox.charges c join checkout.payment_attempts a
       on c.key like a.payment_intent_id || ':%' where a.payable_id = $1 and a.status = 'approved'`,
    [payable.id],
  )
  const expected = ['payment.approved', finalEvent[kind]]
  const events = await waitFor(
    async () => {
      const path = `/api/events?correlation_id=${payable.correlation_id}&limit=200`
      const { body } = await clients.operator.call('GET', path, undefined, { 'x-merchant-id': payable.merchant_id })
      const actions: string[] = body.data.map((event: { action: string }) => event.action)
      return expected.every(one => actions.includes(one)) && actions
    },
    { timeoutMs: 20_000 },
  )
  const transactions = list.data.map((one: { status: string }) => one.status)
  const counts = expected.map(one => `${one} ${events.filter(action => action === one).length}`)
  process.stdout.write(
    `${[name, kind, charges.length, page.body.data.status, (await read()).status, transactions, counts].join(' | ')}\n`,
  )
  expect(charges).toEqual([{ status: 'approved' }])
  // The payer's page says completed of both.
  expect(page.body.data.status).toBe('completed')
  expect((await read()).status).toBe(paidStatus[kind])
  expect(transactions).toEqual(['approved'])
  expect(counts).toEqual(expected.map(one => `${one} 1`))
}

describe.each(['sessions', 'links'] as const)('%s', kind => {
  test('two tabs that pay at once come to one charge', async () => {
    const payable = await open(kind)
    const answers = await Promise.all([pay(payable, goodCard), pay(payable, goodCard)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    await expectPaidOnce('two tabs', kind, payable)
  }, 60_000)

  test('an acquirer that cuts the line after the charge is asked, not charged again', async () => {
    const payable = await open(kind)
    await pay(payable, cutCard)
    await expectPaidOnce('cut after the charge', kind, payable)
  }, 60_000)

  test('during a slow attempt a cancel and a second payment are refused, and the approval completes it', async () => {
    const payable = await open(kind)
    const paying = pay(payable, slowCard)
    await underway(payable)
    const cancel = await clients.merchant.call('POST', `/checkout/v1/${kind}/${payable.id}/cancel`)
    expect(cancel.status).toBe(409)
    expect((await pay(payable, goodCard)).status).toBe(409)
    await paying
    await expectPaidOnce('slow, cancel meanwhile', kind, payable)
  }, 60_000)
})

test('an approval completes a session whose time ran out during the attempt', async () => {
  const payable = await open('sessions', { expires_in: 5 })
  const paying = pay(payable, slowCard)
  await underway(payable)
  await paying
  await expectPaidOnce('expiry meanwhile', 'sessions', payable)
  const path = `/api/events?correlation_id=${payable.correlation_id}&action=payment.expired`
  const expired = await clients.operator.call('GET', path, undefined, { 'x-merchant-id': payable.merchant_id })
  expect(expired.body.count).toBe(0)
}, 60_000)
