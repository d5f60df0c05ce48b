import { events, transaction } from '@cobro/contracts'
import { eventExamples } from './generated/examples.ts'
import { exampleEvent, fakeCobro, signWebhook, testCards } from './testing.ts'
import { DeclinedError } from './transport/errors.ts'
import { verifyWebhook } from './verify-webhook.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwvL1yZ3rF0pA='

test.each(Object.entries(eventExamples))('the example of %s is a valid event', (name, example) => {
  expect(example.event).toBe(name)
  const declared: Record<string, { data: { safeParse: (data: unknown) => { error?: unknown } } }> = events
  expect(declared[name]?.data.safeParse(example.data).error).toBeUndefined()
})

test('a signed example passes verification, with fields of its own', async () => {
  const event = exampleEvent('payment.declined', { decline_reason: 'lost_card' })
  const { body, headers } = await signWebhook(event, secret)
  const verified = await verifyWebhook(body, headers, secret)
  expect(verified).toEqual(event)
  expect(verified.data).toMatchObject({ status: 'declined', decline_reason: 'lost_card' })
})

test('a fake client records its calls and answers them with examples', async () => {
  const { cobro, calls } = fakeCobro()
  const session = await cobro.checkout.sessions.create({ amount_total: 100, success_url: 'https://shop.example/ok' })
  expect(session.status).toBe('pending')
  const found = await cobro.transactions.list({ status: 'approved' })
  expect(transaction.safeParse(found.data[0]).error).toBeUndefined()
  expect(calls.map(({ operationId, target }) => [operationId, target])).toEqual([
    ['createCheckoutSession', '/checkout/v1/sessions'],
    ['listTransactions', '/api/transactions?status=approved'],
  ])
  expect(calls[0]?.body).toEqual({ amount_total: 100, success_url: 'https://shop.example/ok' })
})

test('a fake client answers what a test wants', async () => {
  const { cobro } = fakeCobro({
    answers: {
      getTransaction: ({ target }) => ({ data: { id: target.split('/').at(-1) } }),
      refundTransaction: () => Response.json({ error: 'insufficient_funds', declined: true }, { status: 402 }),
    },
  })
  expect(await cobro.transactions.retrieve('txn_7')).toEqual({ id: 'txn_7' })
  await expect(cobro.transactions.refund('txn_7')).rejects.toBeInstanceOf(DeclinedError)
})

test('the test cards include one for every decline reason', () => {
  const reasons = new Set(testCards.flatMap(({ decline_reason }) => decline_reason ?? []))
  expect(reasons.has('insufficient_funds')).toBe(true)
  expect(reasons.size).toBeGreaterThanOrEqual(15)
})

test('a fake client distinguishes operations whose paths are alike, and its feed has one event', async () => {
  const { cobro, calls } = fakeCobro()
  expect(Array.isArray(await cobro.webhookEndpoints.catalog())).toBe(true)
  const stop = new AbortController()
  const seen: number[] = []
  for await (const { sequence } of cobro.webhookEvents.follow({ after: 41, signal: stop.signal })) {
    seen.push(sequence)
    setTimeout(() => stop.abort(), 200)
  }
  expect(seen).toEqual([42])
  expect(calls.filter(({ operationId }) => operationId === 'listWebhookEvents').length).toBeLessThan(10)
})
