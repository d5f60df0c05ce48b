import { payByCard } from '@cobro/local-stack'
import { CobroError, ConnectionError, createCobro, NotFoundError } from '@cobro/sdk'
import { seededRandom } from '@cobro/testing/seeded-random'
import pLimit from 'p-limit'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { type Fault, startFaultyProxy } from '../src/faulty-proxy.ts'
import { sharedStack } from '../src/shared-stack.ts'

const calls = process.env.COBRO_TEST_LONG === '1' ? 1_000 : 300
const seed = 19
const faults: Fault[] = ['lost', 'unanswered', 'cut', 429, 503, 500, 504]
/** As many as leave some calls without an answer after all their attempts. */
const faultShare = 0.6
const inFlight = 16

let stack: AcceptanceStack
beforeAll(async () => {
  stack = await sharedStack()
})
afterAll(() => stack?.stop())

/** A client behind a connection that fails often, and how often each fault came. */
async function unreliableClient() {
  const random = seededRandom(seed)
  const seen = new Map<Fault, number>()
  const proxy = await startFaultyProxy(stack.stack.base_url, () => {
    const fault = random() < faultShare ? (faults[Math.floor(random() * faults.length)] ?? 'none') : 'none'
    seen.set(fault, (seen.get(fault) ?? 0) + 1)
    return fault
  })
  const cobro = createCobro({ apiKey: stack.stack.api_key, baseUrl: proxy.url })
  return { cobro, seen, close: proxy.close }
}

/** Makes calls side by side. Returns the result or the error of each. */
function outcomes<T>(make: (name: string) => Promise<T>): Promise<(T | CobroError)[]> {
  const limit = pLimit(inFlight)
  return Promise.all(
    Array.from({ length: calls }, (_, number) =>
      limit(() =>
        make(`sdk-${number}`).catch(error => {
          if (error instanceof CobroError) return error
          throw error
        }),
      ),
    ),
  )
}

test('each call has its effect at most once over a connection that fails, and exactly once if it is answered', async () => {
  const { cobro, seen, close } = await unreliableClient()
  const created = await outcomes(external_id =>
    cobro.checkout.sessions.create({ amount_total: 25_000, return_url: 'https://shop.example', external_id }),
  ).finally(close)
  expect(faults.every(fault => (seen.get(fault) ?? 0) > calls / 50)).toBe(true)
  const stored = await stack.query(
    'select external_id, array_agg(id) as ids from checkout.checkout_sessions where merchant_id = $1 group by 1',
    [stack.stack.merchant_id],
  )
  const idsOf = new Map(stored.map(({ external_id, ids }) => [external_id, ids]))
  const failures = created.flatMap((outcome, number) => {
    const ids: string[] = idsOf.get(`sdk-${number}`) ?? []
    if (outcome instanceof CobroError) {
      expect(ids.length).toBeLessThanOrEqual(outcome.outcomeUnknown ? 1 : 0)
      return [outcome]
    }
    expect(ids).toEqual([outcome.id])
    return []
  })
  expect(failures.length).toBeGreaterThan(0)
  expect(failures.length).toBeLessThan(calls / 2)
})

test('a deletion is never repeated once it may have had its effect', async () => {
  const direct = createCobro({ apiKey: stack.stack.api_key, baseUrl: stack.stack.base_url })
  const { cobro, close } = await unreliableClient()
  const deleted = await outcomes(async serial => {
    const { id } = await direct.terminales.create({ name: 'T', serial })
    const outcome = await cobro.terminales.delete(id).catch((error: unknown) => error)
    const isLeft = await direct.terminales.retrieve(id).then(
      () => true,
      error => {
        if (error instanceof NotFoundError) return false
        throw error
      },
    )
    return { outcome, isLeft }
  }).finally(close)
  for (const one of deleted) {
    if (one instanceof CobroError) throw one
    const { outcome, isLeft } = one
    expect(outcome).not.toBeInstanceOf(NotFoundError)
    if (outcome instanceof CobroError && !outcome.outcomeUnknown) expect(isLeft).toBe(true)
    if (!(outcome instanceof CobroError)) expect(isLeft).toBe(false)
  }
  const lost = deleted.filter(one => !(one instanceof CobroError) && one.outcome instanceof ConnectionError)
  expect(lost.length).toBeGreaterThan(0)
})

test('a payment is refunded once, however often the call is repeated', async () => {
  const direct = createCobro({ apiKey: stack.stack.api_key, baseUrl: stack.stack.base_url })
  const { cobro, close } = await unreliableClient()
  const limit = pLimit(4)
  const refund = async () => {
    const session = await direct.checkout.sessions.create({ amount_total: 100, return_url: 'https://shop.example' })
    await payByCard(stack.stack.hosted_url, session.id, '4242424242424242')
    const { transaction_id: id } = await direct.checkout.sessions.retrieve(session.id)
    const outcome = await cobro.transactions.refund(String(id)).catch((error: unknown) => error)
    return { id, outcome }
  }
  const refunds = await Promise.all(Array.from({ length: calls / 10 }, () => limit(refund))).finally(close)
  for (const { id, outcome } of refunds) {
    const rows = await stack.query(
      "select 1 from audit.events where action = 'payment.refund_requested' and target_id = $1",
      [id],
    )
    const isRefunded = (await direct.transactions.retrieve(String(id))).refund_status !== null
    expect(rows.length).toBeLessThanOrEqual(1)
    if (!(outcome instanceof CobroError)) expect(isRefunded).toBe(true)
    else if (!outcome.outcomeUnknown) expect(isRefunded).toBe(false)
  }
})
