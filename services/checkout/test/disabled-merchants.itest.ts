import { type EventData, type Id, type Message, newId } from '@cobro/contracts'
import { busNames } from '@cobro/contracts/broker'
import { eventMessage } from '@cobro/database'
import { keyCaller } from '@cobro/http/test-identity'
import { openPublisher } from '@cobro/messaging'
import { createLogger } from '@cobro/runtime'
import { waitFor, withUnknownFields } from '@cobro/testing'
import { connect } from 'amqplib'
import { checkoutUnderTest, fakeTransactions, outcomeMessage } from './checkout-under-test.ts'

type Service = Awaited<ReturnType<typeof checkoutUnderTest>>
let service: Service
let publisher: ReturnType<typeof openPublisher>
let transactions: ReturnType<typeof fakeTransactions> | undefined
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
const open = async (merchant: Id<'mrc'>, change: object = {}) =>
  (await call('POST', '/checkout/v1/sessions', keyCaller(merchant), { ...order, ...change })).body
const show = async ({ id }: { id: string }) => (await call('GET', `/hosted/v1/checkout/${id}`, payer)).body.data
const pay = ({ id }: { id: string }) =>
  call('POST', `/hosted/v1/checkout/${id}/payments`, payer, { method: 'card', card_jwe: 'jwe' })
const attemptsOf = ({ id }: { id: string }) =>
  service.database.query('select status from checkout.payment_attempts where payable_id = $1', [id])

type MerchantEvent = 'merchant.created' | 'merchant.updated' | 'merchant.deleted'
/** Publishes a merchant event and waits until checkout has handled it. */
async function publishMerchant(
  name: MerchantEvent,
  id: Id<'mrc'>,
  status: EventData<MerchantEvent>['status'],
  version: number,
) {
  await publishAndWait(eventMessage(name, { id, name: `Café ${version}`, status, version }, { merchant_id: id }))
}

const outgoing = (message: Message) => ({ id: message.id, body: Buffer.from(JSON.stringify(message)) })

/** Publishes a message that checkout consumes, and waits until it is handled. */
async function publishAndWait(message: Message) {
  await publisher.publish('events', message.name, outgoing(message))
  const handled = 'select 1 from checkout.inbox where message_id = $1'
  await waitFor(async () => (await service.database.query(handled, [message.id])).length > 0)
}

test('handles merchant events of a newer release, and ignores unknown events and fields', async () => {
  const id = newId('mrc')
  const session = await open(id)
  const message = eventMessage(
    'merchant.updated',
    { id, name: 'Café', status: 'disabled', version: 1 },
    { merchant_id: id },
  )
  const names = busNames(service.bus.namespace)
  const model = await connect(service.bus.url)
  const channel = await model.createChannel()
  const waiting = async (queue: string) => (await channel.checkQueue(queue)).messageCount
  // No binding takes it to the queue of checkout, but the retry queue does.
  const moved = { ...message, id: newId('evt'), name: 'merchant.moved' }
  const data = { ...message.data, name: 'Moved', version: 9 }
  await publisher.retryLater('checkout.events', outgoing({ ...moved, data }))
  await waitFor(async () => (await waiting(names.retry('checkout.events'))) === 0)
  await publishAndWait(withUnknownFields(message))
  expect(await show(session)).toMatchObject({ merchant_status: 'disabled', merchant_name: 'Café' })
  const failed = [names.retry('checkout.events'), names.deadLetter('checkout.events')]
  expect(await Promise.all(failed.map(waiting))).toEqual([0, 0])
  await model.close()
})

test('rejects payments of a disabled merchant without counting them, and accepts them after it is enabled again', async () => {
  transactions = fakeTransactions(service.bus, () => ({ status: 'approved' }))
  const merchant = newId('mrc')
  const session = await open(merchant)
  await publishMerchant('merchant.created', merchant, 'active', 1)
  expect(await show(session)).toMatchObject({ merchant_status: 'active', card_encryption_key: { kid: 'k1' } })

  await publishMerchant('merchant.updated', merchant, 'disabled', 2)
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
  expect(transactions.commands).toEqual([])

  await publishMerchant('merchant.updated', merchant, 'active', 3)
  await waitFor(async () => (await pay(session)).status === 200)
  expect(await show(session)).toMatchObject({ status: 'completed', merchant_name: 'Café 3' })
})

test('accepts payments for a merchant of which no event has arrived yet', async () => {
  transactions = fakeTransactions(service.bus, () => ({ status: 'approved' }))
  const session = await open(newId('mrc'))
  expect((await show(session)).merchant_status).toBe('active')
  await waitFor(async () => (await pay(session)).status === 200)
})

test.each(['merchant.updated', 'merchant.deleted'] as const)('after %s an older event changes nothing', async name => {
  const merchant = newId('mrc')
  const session = await open(merchant)
  await publishMerchant(name, merchant, 'disabled', 5)
  await publishMerchant('merchant.created', merchant, 'active', 1)
  await publishMerchant('merchant.updated', merchant, 'active', 4)
  expect((await show(session)).merchant_status).toBe('disabled')
})

test('completes a payment that was running when its merchant was disabled', async () => {
  const charged: Parameters<typeof outcomeMessage>[0][] = []
  transactions = fakeTransactions(service.bus, command => {
    charged.push(command)
    return 'pending'
  })
  const merchant = newId('mrc')
  const session = await open(merchant)
  await waitFor(async () => (await pay(session)).status === 202)
  await publishMerchant('merchant.updated', merchant, 'disabled', 2)
  expect(await show(session)).toMatchObject({ in_progress: true, merchant_status: 'disabled' })
  const settled = outcomeMessage(charged[0]!, { status: 'approved' })
  await publisher.publish('events', settled.name, { id: settled.id, body: Buffer.from(JSON.stringify(settled)) })
  await waitFor(async () => (await show(session)).status === 'completed')
})

test('expires the sessions of a disabled merchant, and lets its payers cancel', async () => {
  const merchant = newId('mrc')
  await publishMerchant('merchant.created', merchant, 'disabled', 1)
  const [due, cancelled] = [await open(merchant, { expires_in: 1 }), await open(merchant)]
  const { status, body } = await call('POST', `/hosted/v1/checkout/${cancelled.id}/cancel`, payer, {})
  expect([status, body.data.status]).toEqual([200, 'cancelled'])
  await waitFor(async () => (await show(due)).status === 'expired')
})

test('rejects a new session of a merchant that is disabled in the caller’s identity with 409', async () => {
  const caller = { ...keyCaller(), merchant_status: 'disabled' as const }
  const answer = await call('POST', '/checkout/v1/sessions', caller, order)
  expect([answer.status, answer.body.error]).toEqual([409, 'conflict: the merchant takes no payments at present'])
})
