import { type EventData, type EventName, type Id, newId } from '@cobro/contracts'
import { eventMessage, openDatabase } from '@cobro/database'
import { openPublisher } from '@cobro/messaging'
import { createLogger, secret } from '@cobro/runtime'
import { erasePayer } from '@cobro/service'
import { waitFor } from '@cobro/testing'
import { gatewayPayerData } from '../src/personal-data/gateway-payer-data.ts'
import { type AdminWorld, adminWorld } from './admin-calls.ts'
import { clients, operator } from './gateway-world.ts'
import { type MailServer, mailServer } from './mail-server.ts'

type Publisher = ReturnType<typeof openPublisher>
let server: MailServer
let world: AdminWorld
let publishers: { transactions: Publisher; 'webhooks-dispatcher': Publisher }
beforeAll(async () => {
  server = await mailServer()
  world = await adminWorld(config => ({ ...config, SMTP_URL: secret(server.url) }))
  const publisherOf = async (login: keyof typeof publishers) => {
    const logger = createLogger('gateway', 'silent')
    const publisher = openPublisher({ url: await world.brokerLogin(login), namespace: world.namespace, logger })
    await waitFor(() => publisher.connected())
    return publisher
  }
  publishers = {
    transactions: await publisherOf('transactions'),
    'webhooks-dispatcher': await publisherOf('webhooks-dispatcher'),
  }
})
afterAll(async () => {
  for (const publisher of Object.values(publishers)) await publisher.close()
  await world.stop()
  await server.close()
})
beforeEach(async () => {
  await world.database.query('delete from gateway.mails')
  server.mails.length = 0
})

/** Publishes an event of a merchant, as often as given, as its service would. */
async function publish<N extends EventName>(
  by: keyof typeof publishers,
  name: N,
  data: Parameters<typeof eventMessage<N>>[1],
  { merchant_id = world.azul.merchant_id, times = 1 } = {},
) {
  const message = eventMessage(name, data, { merchant_id })
  const outgoing = { id: message.id, body: Buffer.from(JSON.stringify(message)) }
  for (let count = 0; count < times; count++) await publishers[by].publish('events', name, outgoing)
}

const merchantUser = async (access: string, merchant_id = world.azul.merchant_id) =>
  (await world.makeUser({ role: 'client', merchant_id, access })).account.email
const mailTo = (address: string) => waitFor(() => server.to(address)[0])
const recipients = async () =>
  (await world.database.query('select recipient from gateway.mails order by recipient')).map(row => row.recipient)
const [owner] = clients

const dispute = (): EventData<'dispute.opened'> => ({
  id: newId('dsp'),
  transaction_id: newId('txn'),
  amount_cents: 1_250_050,
  currency: 'MXN',
  due_by: new Date('2026-12-18T05:30:00.000Z'),
})

test('a dispute is reported once to owners and finance, with its amount and due date in their time zone', async () => {
  const finance = await merchantUser('finance')
  await merchantUser('developer')
  const opened = dispute()
  await publish('transactions', 'dispute.opened', opened, { times: 2 })
  const mail = await mailTo(finance)
  await mailTo(owner.email)
  expect(mail.subject).toMatch(/^Nueva disputa de Café Azul: responde antes del 17 de diciembre de 2026 a las 11:30/)
  expect(mail.text.replaceAll('\u00a0', ' ')).toContain('Importe: MXN 12,500.50')
  expect(mail.text).toContain(`Disputa: ${opened.id}`)
  expect(await recipients()).toEqual([owner.email, finance].toSorted())
})

test('a held call is reported to the operators who may approve it, but not to who asked for it', async () => {
  const operatorOf = async (access: string, merchants: 'all' | string[]) =>
    world.makeUser({ role: 'operator', merchants, access })
  const asking = await operatorOf('finance', 'all')
  const approving = [await operatorOf('admin', [world.azul.merchant_id]), await operatorOf('finance', 'all')]
  await operatorOf('support', 'all')
  await operatorOf('admin', [await world.makeMerchant()])
  const held = {
    ...{ id: newId('apr'), merchant_id: world.azul.merchant_id as Id<'mrc'>, operation: 'createSettlement' },
    ...{ amount_cents: 6_000_000, currency: 'MXN', requested_by: asking.id as Id<'usr'> },
    lapses_at: new Date('2026-12-18T05:30:00.000Z'),
  }
  await publish('transactions', 'approval.requested', held)
  const mails = await Promise.all(approving.map(({ account }) => mailTo(account.email)))
  for (const { subject, text } of mails) {
    expect(subject).toBe('Una operación de Café Azul espera tu aprobación')
    expect(text.replaceAll('\u00a0', ' ')).toContain('Importe: MXN 60,000.00')
    expect(text).toContain(`Aprobación: ${held.id}`)
  }
  const found = await world.database.query(
    `select recipient from gateway.mails where kind = 'approval_requested' and recipient <> $1 order by recipient`,
    [operator.email],
  )
  expect(found.map(row => row.recipient)).toEqual(approving.map(one => one.account.email).toSorted())
})

test('a merchant in a country where Spanish is not spoken gets mails in English, and others none of them', async () => {
  const merchant_id = (await world.makeMerchant({ country: 'US', timezone: 'America/New_York' })) as Id<'mrc'>
  const finance = await merchantUser('finance', merchant_id)
  await publish('transactions', 'dispute.opened', dispute(), { merchant_id })
  const mail = await mailTo(finance)
  expect(mail.subject).toMatch(/^New dispute of Café Verde: answer before December 18, 2026 at 12:30/)
  expect(mail.text.replaceAll('\u00a0', ' ')).toContain('Amount: MXN 12,500.50')
  expect(await recipients()).toEqual([finance])
})

test('a change of the bank account is reported when it is asked for and when it takes effect', async () => {
  const id = newId('stc')
  const bank = { clabe: '**************9719', holder: 'Café Azul SA de CV', bank_name: null }
  const bank_pending = { bank, requested_by: newId('usr'), effective_at: new Date('2026-12-18T05:30:00.000Z') }
  await publish('transactions', 'settlement_config.bank_change_requested', { id, bank_pending })
  const asked = await mailTo(owner.email)
  expect(asked.subject).toBe('Cambio de cuenta bancaria de Café Azul')
  expect(asked.text).toContain('Cuenta nueva: **************9719')
  server.mails.length = 0
  await publish('transactions', 'settlement_config.updated', {
    id,
    changes: { frequency: { from: 'daily', to: 'weekly' } },
  })
  await publish('transactions', 'settlement_config.updated', { id, changes: { bank: { from: null, to: bank } } })
  expect((await mailTo(owner.email)).text).toContain('La cuenta en la que se deposita cambió.')
  expect(server.to(owner.email)).toHaveLength(1)
})

test('an endpoint that was disabled for its failures is reported to owners and developers', async () => {
  const developer = await merchantUser('developer')
  await merchantUser('viewer')
  const id = newId('whk')
  await publish('webhooks-dispatcher', 'webhook_endpoint.disabled', { id: newId('whk'), cancelled_deliveries: 0 })
  const failed = { id, disabled_reason: 'deliveries_exhausted', cancelled_deliveries: 7 }
  await publish('webhooks-dispatcher', 'webhook_endpoint.disabled', failed)
  const mail = await mailTo(developer)
  expect(mail.text).toContain(`Webhook: ${id}\nMotivo: 20 entregas seguidas fallaron\nEntregas canceladas: 7`)
  await mailTo(owner.email)
  const addressed = await recipients()
  expect(addressed).toContain(developer)
  expect(addressed.filter(address => address === developer)).toHaveLength(1)
})

test('a gateway without mail consumes the events and stores nothing', async () => {
  const off = await adminWorld()
  const logger = createLogger('gateway', 'silent')
  const publisher = openPublisher({ url: await off.brokerLogin('transactions'), namespace: off.namespace, logger })
  await waitFor(() => publisher.connected())
  const message = eventMessage('dispute.opened', dispute(), { merchant_id: off.azul.merchant_id })
  const outgoing = { id: message.id, body: Buffer.from(JSON.stringify(message)) }
  await publisher.publish('events', message.name, outgoing)
  await waitFor(() => off.tap.messages.some(({ id }) => id === message.id))
  await waitFor(async () => (await off.waitingEvents()) === 0)
  await off.stopGateway()
  // What a consumer has taken and not acknowledged returns to the queue.
  expect(await off.waitingEvents()).toBe(0)
  const rows = 'select (select count(*) from gateway.mails) + (select count(*) from gateway.inbox) as count'
  expect(Number((await off.database.query(rows))[0].count)).toBe(0)
  await publisher.close()
  await off.stop()
})

describe('receipts of payers', () => {
  const payment = (change: Partial<EventData<'payment.approved'>> = {}): EventData<'payment.approved'> => {
    const now = new Date('2026-06-18T18:30:00.000Z')
    const none = {
      ...{ payment_intent_id: null, order_id: null, payment_link_id: null, customer_ref: null, decline_reason: null },
      ...{ risk_score: null, terminal_id: null, metadata: null, refund_status: null, refund_id: null },
      ...{ refund_requested_at: null, refunded_at: null, manual_refund: false },
    }
    return {
      ...none,
      ...{ id: newId('txn'), type: 'payment', correlation_id: newId('corr'), reference: 'A-1042' },
      ...{ payer_email: 'Payer@cobro.test', merchant_id: world.azul.merchant_id as Id<'mrc'> },
      ...{ rail: 'online_cnp', payment_method: 'card', status: 'approved', amount_cents: 25_000, currency: 'USD' },
      ...{ fee_cents: 900, card: { brand: 'visa', last4: '4242' } },
      ...{ created_at: now, updated_at: now, captured_at: now },
      ...change,
    }
  }
  const setReceipts = (payer_receipts: boolean) =>
    world.call(world.asOperator, 'PUT', `/api/merchants/${world.azul.merchant_id}`, { payer_receipts })

  test('no payer gets a mail by default', async () => {
    await publish('transactions', 'payment.approved', payment())
    await publish('transactions', 'dispute.opened', dispute())
    await mailTo(owner.email)
    expect(await recipients()).not.toContain('Payer@cobro.test')
  })

  test('a payer gets a receipt and the confirmation of a refund if the merchant wants it, and erasure finds them', async () => {
    expect((await setReceipts(true)).body.data.payer_receipts).toBe(true)
    // The setting applies within a second.
    await waitFor(async () => {
      await publish('transactions', 'payment.approved', payment())
      return (await recipients()).length > 0
    })
    const receipt = await mailTo('payer@cobro.test')
    expect(receipt.subject).toBe('Tu pago a Café Azul')
    expect(receipt.text.replaceAll('\u00a0', ' ')).toContain('Importe: USD 250.00')
    expect(receipt.text).toContain('Tarjeta: visa •••• 4242\nReferencia: A-1042\nTransacción: txn_')
    server.mails.length = 0
    await publish('transactions', 'payment.refunded', payment({ status: 'refunded' }))
    await publish('transactions', 'payment.approved', payment({ payer_email: null }))
    expect((await mailTo('payer@cobro.test')).subject).toBe('Reembolso de Café Azul')

    const db = openDatabase({ url: world.database.url('gateway'), schema: 'gateway', entities: [] })
    const found = await db.write((tx, emit) => gatewayPayerData.find(tx, emit, 'payer@cobro.test'))
    expect(found.mails?.length).toBeGreaterThanOrEqual(2)
    const result = await erasePayer(db, gatewayPayerData, 'payer@cobro.test')
    expect(result).toMatchObject({ erased: { mails: found.mails?.length }, waiting: 0 })
    await db.close()
    expect(await recipients()).not.toContain('Payer@cobro.test')
    await waitFor(() => world.tap.messages.some(({ name, data }) => name === 'payer.erased' && data.mails > 0))
    await setReceipts(false)
  })
})
