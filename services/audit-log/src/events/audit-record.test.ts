import { type EventDeclaration, events, type Message, newId, siblingId } from '@cobro/contracts'
import { auditRecord } from './audit-record.ts'

const merchant = newId('mrc')
const session = newId('cs')
const request = newId('req', Date.parse('2026-05-04T03:02:01.120Z'))

const occurred_at = '2026-05-04T03:02:01.123Z'

const message = (name: string, data: Record<string, unknown>): Message => ({
  id: newId('evt', Date.parse(occurred_at)),
  name,
  occurred_at,
  merchant_id: merchant,
  target_id: session,
  correlation_id: newId('corr'),
  request_id: request,
  actor: { type: 'key', id: newId('key') },
  data,
})

const call = {
  method: 'POST',
  path: '/checkout/v1/sessions',
  status_code: 201,
  ip: '192.0.2.7',
  user_agent: 'curl/8',
  duration_ms: 12,
  trace_id: 'a'.repeat(32),
  metadata: null,
}

test('an audit record of a request has its fields and ids', () => {
  const given = { ...message('http.request', call), id: siblingId('evt', request) }
  expect(auditRecord(given, 'b'.repeat(32))).toEqual({
    id: given.id,
    action: 'http.request',
    category: 'checkout',
    correlation_id: given.correlation_id,
    request_id: request,
    target_id: session,
    merchant_id: merchant,
    actor: given.actor,
    ...call,
    amount_cents: null,
    currency: null,
    occurred_at: '2026-05-04T03:02:01.123Z',
  })
})

test('an audit record of a payment has its amount and the brand and last four digits of its card', () => {
  const data = {
    id: newId('txn'),
    status: 'declined',
    amount_cents: 25_000,
    currency: 'MXN',
    card: { brand: 'visa', last4: '0002', exp_year: 2031 },
    decline_reason: 'card_declined',
    payer_email: 'ana@example.com',
    metadata: { note: 'hers' },
  }
  const record = auditRecord(message('payment.declined', data), 'b'.repeat(32))
  expect(record).toMatchObject({
    category: 'payment',
    amount_cents: 25_000,
    currency: 'MXN',
    status_code: null,
    trace_id: 'b'.repeat(32),
    metadata: { brand: 'visa', last4: '0002', status: 'declined', decline_reason: 'card_declined' },
  })
  expect(JSON.stringify(record)).not.toMatch(/ana@example|hers|2031/)
})

test('an audit record of a session has its total as the amount', () => {
  const record = auditRecord(
    message('checkout_session.created', { amount_total: 900, currency: 'USD', card: null }),
    null,
  )
  expect(record).toMatchObject({ category: 'checkout', amount_cents: 900, currency: 'USD', metadata: null })
})

test('an audit record of a disabled endpoint has the reason and the number of cancelled deliveries', () => {
  const data = { id: 'whk_1', disabled_reason: 'gone', cancelled_deliveries: 3 }
  expect(auditRecord(message('webhook_endpoint.disabled', data), null)?.metadata).toEqual({
    disabled_reason: 'gone',
    cancelled_deliveries: 3,
  })
})

test('an audit record of a changed fee rule has the old and new value of each field', () => {
  const changes = { percent_bps: { from: 360, to: 0 }, name: { from: 'Tarifa', to: '4242 4242 4242 4242' } }
  expect(auditRecord(message('fee_rule.updated', { id: 'fee_1', changes }), null)?.metadata).toEqual({
    changes: { ...changes, name: { from: 'Tarifa', to: '[card]' } },
  })
})

test('an audit record of a requested bank change has the account on hold', () => {
  const bank = { clabe: '**************9719', holder: 'Ana', bank_name: null }
  const bank_pending = { bank, requested_by: newId('usr'), effective_at: '2026-05-05T00:00:00.000Z' }
  const record = auditRecord(message('settlement_config.bank_change_requested', { id: 'stc_1', bank_pending }), null)
  expect([record?.category, record?.metadata]).toEqual(['admin', { bank_pending }])
})

/** A sample of every field declared in events about users, keys, endpoints, deliveries and the payer's page. */
const samples: Record<string, unknown> = {
  role: 'operator',
  access: 'finance',
  merchants: [merchant, newId('mrc')],
  status: 'active',
  name: 'of the till',
  allowed_ips: ['192.0.2.0/24'],
  scopes: ['checkout:read'],
  expires_at: '2026-05-05T00:00:00.000Z',
  successor_id: newId('key'),
  webhook_id: newId('whk'),
  event_id: newId('evt'),
  attempt: 2,
  response_status: 503,
  error: 'timeout',
  duration_ms: 84,
  disabled_reason: 'gone',
  cancelled_deliveries: 3,
  redelivered_deliveries: 3,
  directive: 'script-src-elem',
  blocked_origin: 'https://cdn.example',
  source_file: '/hosted/assets/index-abcdefgh.js',
  source_line: 7,
}
const permissionEvents = Object.entries(events as Record<string, EventDeclaration>).flatMap(([name, { data }]) =>
  /^(user|api_key|webhook_endpoint|webhook|hosted_page)\./.test(name) && 'shape' in data
    ? [[name, Object.keys(data.shape).filter(field => field !== 'id')] as const]
    : [],
)

test.each(permissionEvents)('an audit record of %s has every declared field', (name, fields) => {
  const data = Object.fromEntries(fields.map(field => [field, samples[field]]))
  expect(Object.values(data)).not.toContain(undefined)
  expect(auditRecord(message(name, { id: newId('usr'), ...data }), null)?.metadata ?? {}).toEqual(data)
})

test.each([
  ['user.updated', { role: 'operator', merchants: 'all' }],
  ['user.updated', { role: 'client', merchants: null }],
  ['api_key.allowed_ips_changed', { allowed_ips: null }],
  ['api_key.allowed_ips_changed', { allowed_ips: [] }],
  ['api_key.scopes_changed', { scopes: null }],
])('an audit record of %s has permissions that are not a list: %j', (name, data) => {
  expect(auditRecord(message(name, data), null)?.metadata).toEqual(data)
})

test('an audit record leaves out permissions that are not a list of plain values', () => {
  expect(auditRecord(message('user.updated', { merchants: [{ email: 'ana@example.com' }] }), null)?.metadata).toBeNull()
})

test('the audit record of an erasure has the counts, also of nothing, and no address', () => {
  const counts = { sessions: 2, links: 0, payment_attempts: 1, transactions: 3, disputes: 0, webhook_events: 9 }
  const record = auditRecord(message('payer.erased', { id: null, ...counts, email: 'ana@example.com' }), null)
  expect(record).toMatchObject({ category: 'admin', metadata: counts })
  expect(JSON.stringify(record)).not.toContain('ana@')
})

test('an internal event has no audit record', () => {
  expect(auditRecord(message('payment_attempt.settled', { status: 'approved' }), null)).toBeUndefined()
})

test('an event of a newer release has an audit record, whatever its data', () => {
  const record = auditRecord(message('loyalty.points_given', { amount_cents: 'many', currency: 7, card: 'x' }), null)
  expect(record).toMatchObject({
    action: 'loyalty.points_given',
    category: 'admin',
    amount_cents: null,
    currency: null,
  })
})

test('an audit record contains no card number, wherever a client put it', () => {
  const number = '4242424242424242'
  const spaced = '4242 4242 4242 4242'
  const given = message('http.request', {
    ...call,
    path: `/checkout/v1/sessions/${number}`,
    user_agent: `browser ${spaced}`,
    metadata: { outcome: [{ [number]: spaced }] },
  })
  const record = auditRecord(given, null)
  expect(record).toMatchObject({ path: '/checkout/v1/sessions/[card]', user_agent: 'browser [card]' })
  expect(JSON.stringify(record)).not.toMatch(/4242/)
  const named = auditRecord(message('api_key.created', { name: `key of ${number}` }), null)
  expect(named?.metadata).toEqual({ name: 'key of [card]' })
})

test('an audit record contains no characters that Postgres cannot store', () => {
  const record = auditRecord(message('http.request', { ...call, user_agent: 'a\0b\ud800c' }), null)
  expect(record?.user_agent).toBe('ab\ufffdc')
})

test.each(['cmd_01jd0000000000000000000000', 'evt_1', 'evt_zzzzzzzzzzzzzzzzzzzzzzzzzz'])(
  'a message with the id %s, which is not an event id, is rejected',
  id => {
    expect(() => auditRecord({ ...message('payment.approved', {}), id }, null)).toThrow(/not that of an event/)
  },
)

test('a request event with invalid fields is rejected', () => {
  expect(() => auditRecord(message('http.request', { ...call, status_code: 'ok' }), null)).toThrow(/status_code/)
})

test('an audit record has the time of its event in milliseconds, or the time in its id if they are more than a day apart', () => {
  const at = (stated: string) =>
    auditRecord({ ...message('payment.approved', {}), occurred_at: stated }, null)?.occurred_at
  expect(at('2026-05-03T04:02:01.123Z')).toBe('2026-05-03T04:02:01.123Z')
  expect(at('2026-05-04T03:02:01.123999Z')).toBe('2026-05-04T03:02:01.123Z')
  expect(at('2026-05-05T03:02:01.124Z')).toBe(occurred_at)
  expect(at('1970-01-01T00:00:00Z')).toBe(occurred_at)
})
