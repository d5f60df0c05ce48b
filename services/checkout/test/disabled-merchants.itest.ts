import { type Message, newId } from '@cobro/contracts'
import { eventMessage } from '@cobro/database'
import { keyCaller } from '@cobro/http/test-identity'
import { openPublisher } from '@cobro/messaging'
import { createLogger } from '@cobro/runtime'
import { waitFor, withUnknownFields } from '@cobro/testing'
import { checkoutUnderTest, settledMessage, standInTransactions } from './checkout-service.ts'

type Service = Awaited<ReturnType<typeof checkoutUnderTest>>
let service: Service
let publisher: ReturnType<typeof openPublisher>
let transactions: ReturnType<typeof standInTransactions> | undefined
beforeAll(async () => {
  service = await checkoutUnderTest()
  publisher = openPublisher({ ...service.bus, logger: createLogger('checkout', 'silent') })
  await waitFor(() => publisher.connected())
})
afterEach(async () => {
  await transactions?.stop()
  transactions = undefined
})
afterAll(async () => {
  await publisher?.close()
  await service?.stop()
})

const payer = { kind: 'payer' } as const
const call = async (method: string, path: string, caller: Parameters<Service['headers']>[0], body?: object) => {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: { ...(await service.headers(caller)), 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  return { status: response.status, body: (await response.json()) as any }
}
const order = { amount_total: 25_000, return_url: 'https://shop.mx/back' }
const open = async (merchant: string, change: object = {}) =>
  (await call('POST', '/checkout/v1/sessions', keyCaller(merchant), { ...order, ...change })).body
const show = async ({ id }: { id: string }) => (await call('GET', `/hosted/v1/checkout/${id}`, payer)).body.data
const pay = ({ id }: { id: string }) =>
  call('POST', `/hosted/v1/checkout/${id}/payments`, payer, { method: 'card', card_jwe: 'jwe' })
const attemptsOf = ({ id }: { id: string }) =>
  service.database.query('select status from checkout.payment_attempts where payable_id = $1', [id])

type MerchantEvent = 'merchant.created' | 'merchant.updated' | 'merchant.deleted'
/** Tells checkout of a merchant, and waits until it has heard. */
async function told(name: MerchantEvent, id: string, status: 'active' | 'disabled', version: number) {
  await heard(name, eventMessage(name, { id, name: `Café ${version}`, status, version }, { merchant_id: id }))
}

/** Publishes a message under a name that checkout listens to, and waits until it has had its effect. */
async function heard(name: MerchantEvent, message: Message) {
  await publisher.publish('events', name, { id: message.id, body: Buffer.from(JSON.stringify(message)) })
  const noted = 'select 1 from checkout.inbox where message_id = $1'
  await waitFor(async () => (await service.database.query(noted, [message.id])).length > 0)
}

test('of a merchant a newer release may tell more, and what this one does not know: neither is in the way', async () => {
  const id = newId('mrc')
  const session = await open(id)
  const message = eventMessage(
    'merchant.updated',
    { id, name: 'Café', status: 'disabled', version: 1 },
    { merchant_id: id },
  )
  await heard('merchant.updated', { ...message, id: newId('evt'), name: 'merchant.moved' })
  expect(await show(session)).toMatchObject({ merchant_status: 'active' })
  await heard('merchant.updated', withUnknownFields(message))
  expect(await show(session)).toMatchObject({ merchant_status: 'disabled', merchant_name: 'Café' })
})

test('nobody pays a disabled merchant, nothing is counted, and all goes on once it is enabled again', async () => {
  transactions = standInTransactions(service.bus, () => ({ status: 'approved' }))
  const merchant = newId('mrc')
  const session = await open(merchant)
  await told('merchant.created', merchant, 'active', 1)
  expect(await show(session)).toMatchObject({ merchant_status: 'active', card_encryption_key: { kid: 'k1' } })

  await told('merchant.updated', merchant, 'disabled', 2)
  expect(await show(session)).toMatchObject({
    status: 'pending',
    merchant_status: 'disabled',
    card_encryption_key: null,
    attempts_left: 10,
  })
  const refused = await pay(session)
  expect([refused.status, refused.body]).toEqual([
    409,
    { error: 'conflict: the merchant takes no payments at present' },
  ])
  expect(await attemptsOf(session)).toEqual([])
  expect(transactions.heard).toEqual([])

  await told('merchant.updated', merchant, 'active', 3)
  await waitFor(async () => (await pay(session)).status === 200)
  expect(await show(session)).toMatchObject({ status: 'completed', merchant_name: 'Café 3' })
}, 30_000)

test('a merchant of which no event has come yet is paid', async () => {
  transactions = standInTransactions(service.bus, () => ({ status: 'approved' }))
  const session = await open(newId('mrc'))
  expect((await show(session)).merchant_status).toBe('active')
  await waitFor(async () => (await pay(session)).status === 200)
}, 30_000)

test.each(['merchant.updated', 'merchant.deleted'] as const)('after %s an older event changes nothing', async name => {
  const merchant = newId('mrc')
  const session = await open(merchant)
  await told(name, merchant, 'disabled', 5)
  await told('merchant.created', merchant, 'active', 1)
  await told('merchant.updated', merchant, 'active', 4)
  expect((await show(session)).merchant_status).toBe('disabled')
})

test('what runs when a merchant is disabled ends as it would have', async () => {
  const charged: Parameters<typeof settledMessage>[0][] = []
  transactions = standInTransactions(service.bus, command => {
    charged.push(command)
    return 'pending'
  })
  const merchant = newId('mrc')
  const session = await open(merchant)
  await waitFor(async () => (await pay(session)).status === 202)
  await told('merchant.updated', merchant, 'disabled', 2)
  expect(await show(session)).toMatchObject({ in_progress: true, merchant_status: 'disabled' })
  const settled = settledMessage(charged[0]!, { status: 'approved' })
  await publisher.publish('events', settled.name, { id: settled.id, body: Buffer.from(JSON.stringify(settled)) })
  await waitFor(async () => (await show(session)).status === 'completed')
}, 30_000)

test('its sessions still expire, and its payers may still give up', async () => {
  const merchant = newId('mrc')
  await told('merchant.created', merchant, 'disabled', 1)
  const [due, given] = [await open(merchant, { expires_in: 1 }), await open(merchant)]
  const { status, body } = await call('POST', `/hosted/v1/checkout/${given.id}/cancel`, payer, {})
  expect([status, body.data.status]).toEqual([200, 'cancelled'])
  await waitFor(async () => (await show(due)).status === 'expired')
}, 30_000)

test('nobody opens a session for a merchant whom the gateway knows as disabled', async () => {
  const caller = { ...keyCaller(), merchant_status: 'disabled' as const }
  const answer = await call('POST', '/checkout/v1/sessions', caller, order)
  expect([answer.status, answer.body.error]).toEqual([409, 'conflict: the merchant takes no payments at present'])
})
