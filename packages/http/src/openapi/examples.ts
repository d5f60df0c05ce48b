import type { Json } from './json-schemas.ts'

const exampleId = (prefix: string) => `${prefix}_01kdvc4x2m8p6q7r9s0t1v2w3x`
const time = '2026-11-21T18:04:05.123Z'
/** What is to end lies ahead for as long as anybody copies it from here. */
const laterTime = '2036-11-21T18:04:05.123Z'

/** What each field of the API may look like. A field of text or number without a line here fails a test. */
const byName: Record<string, unknown> = {
  action: 'payment.approved',
  adjustment_cents: 0,
  allowed_ips: ['203.0.113.0/24'],
  amount: '250.00',
  amount_cents: 25_000,
  amount_total: 25_000,
  attempt_count: 1,
  attempts_left: 10,
  available_cents: 120_000,
  bank_name: 'IXE',
  barcode: '93000000104226112400000025003',
  brand: 'visa',
  brand_color: '#0b5fff',
  cancel_url: 'https://shop.example/cart',
  captured_at: time,
  card_brand: 'visa',
  card_jwe: 'eyJhbGciOiJSU0EtT0FFUC0yNTYi…',
  chargeback_cents: 0,
  checked: 1042,
  city: 'Ciudad de México',
  clabe: '**************9719',
  concepto: 'Curso de barismo',
  correlation_id: exampleId('corr'),
  count: 1,
  country: 'MX',
  currency: 'MXN',
  customer_ref: 'C-1042',
  decline_reason: null,
  delay_days: 1,
  description: 'Orders of the web shop',
  disabled_reason: null,
  disputed_cents: 0,
  duration_ms: 84,
  email: 'ana@example.com',
  entries: 42,
  error: 'connection refused',
  event: 'payment.approved',
  events: ['payment.approved', 'payment.refunded'],
  expected: '25000',
  expires_in: 900,
  external_id: 'order-1042',
  fee_cents: 1044,
  first_name: 'Ana',
  fixed_cents: 0,
  found: '24999',
  gross_cents: 250_000,
  held_cents: 2_500,
  hold_days: 90,
  holder: 'Café Azul SA de CV',
  id: exampleId('evt'),
  ip: '203.0.113.7',
  key: 'vk_test_…',
  key_masked: 'vk_test_****9f3K',
  kind: 'position',
  last4: '4242',
  last_delivery_status: 'succeeded',
  last_name: 'López',
  legal_name: 'Café Azul SA de CV',
  limit: 50,
  logo_url: 'https://shop.example/logo.png',
  max_fee_cents: null,
  merchant_id: exampleId('mrc'),
  merchant_name: 'Café Azul',
  merchants: [exampleId('mrc')],
  method: 'POST',
  min_fee_cents: null,
  minimum_cents: 0,
  model: 'P400',
  month_day: 31,
  name: 'Café Azul',
  net_cents: 189_560,
  network_reason_code: '10.4',
  note: 'Month end',
  number: 1,
  object: 'transaction',
  offset: 0,
  order_id: 'order-1042',
  overlap_seconds: 86_400,
  password: 'a long password of your own',
  path: '/checkout/v1/sessions',
  payer_email: 'ana@example.com',
  payload: '{"id":"evt_…","event":"payment.approved"}',
  payment_id: 1042,
  payment_intent_id: exampleId('pi'),
  payment_link_id: null,
  pending_cents: 25_000,
  percent_bps: 360,
  period_end: '2026-11-22',
  period_start: '2026-11-16',
  phone: '55 1234 5678',
  postal_code: '06700',
  priority: 0,
  previous: '9xQkq0l8nB1n0T3m0V3sXq3xj8n3sY1G5u2Lr0c7b1U=',
  product_id: 'mug-blue',
  quantity: 2,
  reason: 'fraudulent',
  redirect_url: 'https://shop.example/thanks',
  reference: 'A-1042',
  refresh_token: 'x3Vf…',
  refund_cents: 25_000,
  refund_id: null,
  refund_status: null,
  request_id: exampleId('req'),
  reserve_held_cents: 25_000,
  reserve_released_cents: 0,
  reserved_cents: 2_500,
  response_body: 'ok',
  response_status: 200,
  retired: 0,
  return_url: 'https://shop.example/back',
  rfc: 'CAZ010203AB4',
  risk_score: 12,
  role: 'client',
  root: '2FyyLMm0s3lWcD1Yv4m8Q1p8l0sR3u1N5x7Zk9b2T4E=',
  secret: 'whsec_…',
  secret_masked: 'whsec_****Q2c=',
  seq: 1042,
  serial: 'SN-0001',
  setup_token: 'st_…',
  size: 1042,
  state: 'CDMX',
  status_code: 200,
  street: 'Orizaba 12',
  success_url: 'https://shop.example/thanks',
  sucursal_id: exampleId('suc'),
  target_id: exampleId('txn'),
  tax_bps: 1600,
  tax_cents: 144,
  terminal_id: null,
  token: 'eyJhbGciOiJFZERTQSI…',
  trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
  transaction_count: 10,
  transaction_id: exampleId('txn'),
  transactions: 10,
  type: 'client',
  unit_price: 12_500,
  url: 'https://shop.example/hooks',
  user_agent: 'shop/1.0',
  valid_from: null,
  valid_to: null,
  weekday: 5,
  verifier_key: 'cobro-audit-log+d241a7c3+AX3b…',
}

/** What a field looks like in an object that has a certain other one as well: there its name means something of its own. */
const beside: Record<string, Json> = {
  barcode: { reference: '93000000104226' },
  // The page's words for a session that waits for its payer.
  card_encryption_key: { id: exampleId('cs'), concepto: null, reference: null, retry_at: null, voucher: null },
  concepto: { url: `https://pay.example/links/${exampleId('pl')}` },
  data: { url: `https://pay.example/links/${exampleId('pl')}` },
  line_items: { url: `https://pay.example/checkout/${exampleId('cs')}` },
}

/** What is written one way and shown another: an account number goes in as it is and comes out masked. */
const byPattern: Record<string, string> = { '^\\d{18}$': '032180000118359719' }

/** Objects whose fields the schema leaves open. */
const openObjects: Record<string, Json> = {
  evidence: { receipt: 'Ticket 1042, delivered 2026-11-20' },
  metadata: { plan: 'gold' },
  services: { gateway: 'ok', postgres: 'ok', rabbitmq: 'ok' },
  card_encryption_key: { kty: 'RSA', alg: 'RSA-OAEP-256', kid: 'k1' },
  keys: { kty: 'OKP', crv: 'Ed25519', kid: 'k1', x: '…' },
}

/** An example of what a schema describes, made of its fields' own. `resolve` finds the schema behind a reference. */
export function exampleOf(schema: Json, resolve: (ref: string) => Json, name = ''): unknown {
  if (schema.$ref) return exampleOf(resolve(schema.$ref), resolve, name)
  if ('const' in schema) return schema.const
  const idPrefix = /^\^([a-z]+)_\[0-7\]/.exec(schema.pattern ?? '')?.[1]
  if (idPrefix) return exampleId(idPrefix)
  const choices: Json[] | undefined = schema.anyOf ?? schema.oneOf
  if (choices) return choiceOf(choices, resolve, name)
  if (schema.enum) return enumOf(schema.enum, name)
  if (schema.format === 'date-time') return name === 'expires_at' ? laterTime : time
  return plainOf(schema, resolve, name)
}

function choiceOf(choices: Json[], resolve: (ref: string) => Json, name: string): unknown {
  if (byName[name] === null) return null
  const real = choices.filter(choice => choice.type !== 'null')
  // Where a text or a list of it is possible, the table says which to show.
  const chosen = real.find(choice => Array.isArray(byName[name]) === (choice.type === 'array')) ?? real[0] ?? {}
  return exampleOf(chosen, resolve, name)
}

function enumOf(values: unknown[], name: string): unknown {
  return values.includes(byName[name]) ? byName[name] : values.find(value => value !== null)
}

function plainOf(schema: Json, resolve: (ref: string) => Json, name: string): unknown {
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'object') return objectOf(schema, resolve, name)
  if (type === 'boolean') return false
  if (schema.pattern && schema.pattern in byPattern) return byPattern[schema.pattern]
  if (name in byName) return byName[name]
  if (type === 'array') return [exampleOf(schema.items ?? {}, resolve, name)]
  // Milliseconds since the epoch, of which only sessions have some.
  if (type === 'integer' && (name.endsWith('_at') || name === 'now')) return Date.parse(time)
  throw new Error(`There is no example for the field ${name || '(none)'}: ${JSON.stringify(schema)}`)
}

function objectOf(schema: Json, resolve: (ref: string) => Json, name: string): Json {
  if (!schema.properties) return openObjects[name] ?? {}
  const fields = Object.entries(schema.properties as Json)
  const known: Json = Object.assign({}, ...fields.map(([key]) => beside[key] ?? {}))
  return Object.fromEntries(
    fields.map(([key, part]) => [key, Object.hasOwn(known, key) ? known[key] : exampleOf(part, resolve, key)]),
  )
}
