import { payByCard } from '@cobro/local-stack'
import { waitFor } from '@cobro/testing'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { clientsOf } from '../src/api-client.ts'
import { sharedStack } from '../src/shared-stack.ts'

let stack: AcceptanceStack
let clients: Awaited<ReturnType<typeof clientsOf>>
beforeAll(async () => {
  stack = await sharedStack()
  clients = await clientsOf(stack.stack)
})
afterAll(() => stack?.stop())

const declined = '4000000000000002'
const approved = '4242424242424242'

test('asks the payers of a link on which cards are tried to wait, shows the merchant which rule, and an operator lifts it', async () => {
  const { merchant, operator } = clients
  const mine = { 'x-merchant-id': stack.stack.merchant_id }
  const link = (await merchant.call('POST', '/checkout/v1/links', { amount: '250.00', concepto: 'Curso' })).body.data
  const pay = (card: string) => payByCard(stack.stack.hosted_url, link.url, card)
  for (let time = 0; time < 10; time++) expect((await pay(declined)).status).toBe(402)
  const refused = await pay(approved)
  expect([refused.status, refused.body]).toEqual([429, { error: 'rate_limited: too many declined payments' }])

  const [event] = await waitFor(async () => {
    const { body } = await merchant.call('GET', `/api/lifecycles/${link.correlation_id}?limit=200`)
    const events = body.data.filter(({ action }: { action: string }) => action === 'payment.blocked')
    return events.length > 0 && events
  })
  const reason = { rule: 'payable_declines', max_attempts: 10, window_seconds: 900 }
  expect(event).toMatchObject({ target_id: link.id, metadata: reason })
  expect(JSON.stringify(event)).not.toMatch(/127\.0\.0\.1|fp_|crd_|adr_/)

  const { body } = await operator.call('GET', `/api/payment-blocks?payable_id=${link.id}`, undefined, mine)
  expect(body.data).toEqual([expect.objectContaining({ ...reason, payable_id: link.id, lifted_at: null })])
  const recorded = await operator.call(
    'GET',
    `/api/events?target_id=${link.id}&action=payment.blocked`,
    undefined,
    mine,
  )
  expect(recorded.body.data[0].metadata).toMatchObject({ ...reason, block_id: body.data[0].id })
  const lifted = await operator.call('POST', `/api/payment-blocks/${body.data[0].id}/lift`, undefined, mine)
  expect(lifted.body.data).toMatchObject({ ...reason, lifted_at: expect.any(String) })
  expect((await pay(approved)).status).toBe(200)

  const fingerprints = await stack.query(
    'select distinct card_fingerprint from checkout.payment_attempts where payable_id = $1',
    [link.id],
  )
  expect(fingerprints).toEqual(Array(2).fill({ card_fingerprint: expect.stringMatching(/^crd_/) }))
})
