import { keyCaller } from '@cobro/http/test-identity'
import { waitFor } from '@cobro/testing'
import { callsTo, payer } from './checkout-calls.ts'
import { checkoutUnderTest, fakeTransactions } from './checkout-under-test.ts'

let service: Awaited<ReturnType<typeof checkoutUnderTest>>
let transactions: ReturnType<typeof fakeTransactions>
beforeAll(async () => {
  service = await checkoutUnderTest()
  transactions = fakeTransactions(service.bus, () => ({ status: 'approved' }))
  // Until the service is connected to the broker, a payment is a 503 and sends nothing.
  await waitFor(async () => (await pay(await make())).status === 200)
})
afterAll(async () => {
  await transactions?.stop()
  await service?.stop()
})

const call = callsTo(() => service)
const merchant = keyCaller()
const rounds = 25
/** How many links are paid at once. With more, slow machines exceed the time limits of payments. */
const concurrency = 5
const make = async (): Promise<{ id: string; correlation_id: string }> =>
  (await call(merchant, 'POST', '/checkout/v1/links', { concepto: 'Curso', amount_cents: 25_000 })).body.data
const pay = ({ id }: { id: string }) =>
  call(payer, 'POST', `/hosted/v1/links/${id}/payments`, { method: 'card', card_jwe: 'jwe', amount_cents: 25_000 })
const read = async ({ id }: { id: string }) => (await call(merchant, 'GET', `/checkout/v1/links/${id}`)).body.data
const charges = ({ id }: { id: string }) => transactions.commands.filter(({ data }) => data.payable_id === id)

/** Calls `work` for each item, a few at a time. */
async function inGroups<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let at = 0; at < items.length; at += concurrency)
    results.push(...(await Promise.all(items.slice(at, at + concurrency).map(work))))
  return results
}

/** Runs each race on its own link, and alternates which call starts first. */
const race = (against: (link: { id: string }) => ReturnType<typeof call>) =>
  inGroups([...Array(rounds).keys()], async round => {
    const link = await make()
    const [paid, other] =
      round % 2 ? await Promise.all([pay(link), against(link)]) : await both(against(link), pay(link))
    return { link, paid: paid.status, other: other.status, now: await read(link), charges: charges(link) }
  })

async function both<T>(other: Promise<T>, paid: Promise<T>): Promise<[T, T]> {
  const [second, first] = await Promise.all([other, paid])
  return [first, second]
}

test('either pays or cancels a link when both are requested concurrently', async () => {
  const ends = await race(({ id }) => call(merchant, 'POST', `/checkout/v1/links/${id}/cancel`))
  for (const { paid, other, now, charges } of ends)
    expect([paid, other, now.status, charges.length]).toEqual(
      now.status === 'paid' ? [200, 409, 'paid', 1] : [409, 200, 'cancelled', 0],
    )
})

test('never charges an amount that the page did not show when the amount changes concurrently', async () => {
  const ends = await race(({ id }) => call(merchant, 'PUT', `/api/payment-links/${id}`, { amount_cents: 30_000 }))
  for (const { paid, other, now, charges } of ends) {
    expect([paid, other, now.amount_cents]).toEqual(now.status === 'paid' ? [200, 409, 25_000] : [409, 200, 30_000])
    expect(charges.map(({ data }) => data.amount_cents)).toEqual(now.status === 'paid' ? [25_000] : [])
  }
})

test('either pays or expires a link when both happen concurrently, and emits one event', async () => {
  const links = await Promise.all(Array.from({ length: rounds }, make))
  const statuses = await inGroups(links, async link => {
    // The expiries are spread around the time at which the payments arrive.
    await service.database.query(
      `update checkout.payment_links set expires_at = now() + mod(abs(hashtext(id)), 100) * interval '1 ms' where id = $1`,
      [link.id],
    )
    return (await pay(link)).status
  })
  await waitFor(async () => (await Promise.all(links.map(read))).every(({ status }) => status !== 'active'))
  const endEvents = (link: { correlation_id: string }) =>
    service.tap
      .names(link.correlation_id)
      .filter(name => name === 'payment_link.paid' || name === 'payment_link.expired')
  await waitFor(() => links.every(link => endEvents(link).length > 0))
  for (const [at, link] of links.entries()) {
    const { status } = await read(link)
    expect([statuses[at], endEvents(link), charges(link).length]).toEqual(
      status === 'paid' ? [200, ['payment_link.paid'], 1] : [409, ['payment_link.expired'], 0],
    )
  }
})
