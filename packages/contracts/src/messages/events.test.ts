import { z } from 'zod'
import { caller } from '../declarations/callers.ts'
import { auditCategories, type EventDeclaration } from '../declarations/event.ts'
import { newId } from '../fields/ids.ts'
import { commands, replies } from './commands.ts'
import { webhookCatalog } from './event-catalog.ts'
import { events } from './events.ts'
import { message } from './message.ts'

const declared = Object.entries(events as Record<string, EventDeclaration>)

test('the webhook catalog has the events of the API specification', () => {
  expect(Object.keys(webhookCatalog).sort()).toEqual([
    'checkout_session.completed',
    'checkout_session.created',
    'payment.approved',
    'payment.cancelled',
    'payment.chargeback',
    'payment.declined',
    'payment.duplicate',
    'payment.expired',
    'payment.failed',
    'payment.pending',
    'payment.refunded',
    'payment_link.created',
    'payment_link.paid',
    'webhook.test',
  ])
})

test('payment.expired has a session or link as its data, never a transaction', () => {
  expect(webhookCatalog['payment.expired']?.object).toBe('checkout_session or payment_link')
})

test('every event of the webhook catalog has a description and an object', () => {
  for (const { description, object } of Object.values(webhookCatalog)) {
    expect(description).toMatch(/^[A-Z].{10,100}[^.]$/)
    for (const one of object.split(/, | or /))
      expect(['transaction', 'checkout_session', 'payment_link', 'webhook']).toContain(one)
  }
})

test('event names have two words, and no event has the name of a command or of a reply', () => {
  for (const [name, { category }] of declared) {
    expect(name).toMatch(/^[a-z_]+\.[a-z_]+$/)
    if (category !== null) expect(auditCategories).toContain(category)
  }
  expect(Object.keys({ ...commands, ...replies }).filter(name => name in events)).toEqual([])
})

const session = {
  id: newId('cs'),
  url: 'https://pay.mx/checkout/1',
  status: 'expired' as const,
  payment_id: 1,
  amount_total: 25_000,
  currency: 'MXN',
  external_id: null,
  session_type: 'payment' as const,
  checkout_type: 'hosted' as const,
  return_url: 'https://shop.mx',
  success_url: null,
  cancel_url: null,
  metadata: { plan: 'gold' },
  payment_method_types: ['card' as const],
  ui_config: null,
  ui_config_version: 'V1' as const,
  created_at: new Date(1),
  modified_at: new Date(2),
  expires_at: new Date(3),
  customer: null,
  line_items: [],
  transaction_status: 'Expired' as const,
  transaction_id: null,
  merchant_id: newId('mrc'),
  correlation_id: newId('corr'),
}
const transaction = {
  id: newId('txn'),
  type: 'payment' as const,
  correlation_id: newId('corr'),
  payment_intent_id: newId('pi'),
  order_id: null,
  payment_link_id: null,
  reference: null,
  payer_email: null,
  merchant_id: newId('mrc'),
  rail: 'online_cnp' as const,
  payment_method: 'card' as const,
  status: 'failed' as const,
  amount_cents: 25_000,
  currency: 'MXN',
  fee_cents: 0,
  card: { brand: 'visa', last4: '4242' },
  customer_ref: null,
  decline_reason: 'processing_error' as const,
  risk_score: null,
  terminal_id: null,
  created_at: new Date(1),
  updated_at: new Date(2),
  captured_at: null,
  metadata: null,
  refund_status: null,
  refund_id: null,
  refund_requested_at: null,
  refunded_at: null,
  manual_refund: false,
}

test('a payment event encodes a session or a transaction, each with its own time format', () => {
  const schema = events['payment.failed'].data
  expect(z.encode(schema, session)).toEqual({ ...session, created_at: 1, modified_at: 2, expires_at: 3 })
  expect(z.encode(schema, transaction)).toEqual({
    ...transaction,
    created_at: '1970-01-01T00:00:00.001Z',
    updated_at: '1970-01-01T00:00:00.002Z',
  })
})

test('undeclared fields of an event are dropped when it is encoded and when it is decoded', () => {
  const schema = events['payment.approved'].data
  const written = z.encode(schema, { ...transaction, acquirer_reference: 'ch_1', next_check_at: new Date() } as never)
  expect(Object.keys(written).sort()).toEqual(Object.keys(transaction).sort())
  const read = z.decode(schema, { ...written, added_by_a_newer_release: true } as never)
  expect(read).toEqual(transaction)
})

test('events, commands, replies and callers accept unknown fields of newer releases at any depth', () => {
  const isClosed = (schema: z.ZodType) =>
    JSON.stringify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })).includes(
      '"additionalProperties":false',
    )
  expect(isClosed(z.object({ inner: z.array(z.strictObject({ a: z.int() })).nullable() }))).toBe(true)
  const declared = Object.entries({ ...events, ...commands, ...replies }).map(
    ([name, { data }]): [string, z.ZodType] => [name, data],
  )
  const all: [string, z.ZodType][] = [...declared, ['message', message], ['caller', caller]]
  expect(all.filter(([, schema]) => isClosed(schema)).map(([name]) => name)).toEqual([])
})

test.each([
  ['amount_cents', 0],
  ['status', 'maybe'],
  ['merchant_id', 'mrc_1'],
  ['created_at', 'yesterday'],
])('an event with an invalid %s is not encoded', (field, value) => {
  expect(() => z.encode(events['payment.approved'].data, { ...transaction, [field]: value } as never)).toThrow()
})

test('messages of older and newer releases are decoded', () => {
  const bare = { id: 'evt_1', name: 'x.y', occurred_at: '2026-01-01T00:00:00Z', data: {} }
  expect(message.parse({ ...bare, added_later: 1, actor: { type: 'robot', id: null } })).toEqual({
    ...bare,
    merchant_id: null,
    target_id: null,
    correlation_id: null,
    request_id: null,
    actor: { type: 'robot', id: null },
  })
  expect(message.parse(bare).actor).toEqual({ type: 'system', id: null })
  for (const missing of ['id', 'name', 'occurred_at', 'data']) {
    expect(message.safeParse({ ...bare, [missing]: undefined }).success).toBe(false)
  }
})
