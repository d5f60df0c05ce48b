import { AcquirerUnavailable } from '@cobro/acquirer'
import { newId, publicLink } from '@cobro/contracts'
import { openDatabase } from '@cobro/database'
import { keyCaller, operatorCaller } from '@cobro/http/test-identity'
import { waitFor } from '@cobro/testing'
import { viewPayable } from '../src/hosted/payer-view.ts'
import { MerchantEntity } from '../src/merchants/merchant-entity.ts'
import { LinkEntity } from '../src/payables/link-entity.ts'
import { PaymentAttemptEntity } from '../src/payment-attempts/payment-attempt-entity.ts'
import { defaultLimits } from '../src/velocity-rules/velocity-settings.ts'
import { callsTo, payer } from './checkout-calls.ts'
import { checkoutUnderTest } from './checkout-under-test.ts'

let service: Awaited<ReturnType<typeof checkoutUnderTest>>
beforeAll(async () => {
  service = await checkoutUnderTest()
})
afterAll(() => service?.stop())

const entities = [LinkEntity, MerchantEntity, PaymentAttemptEntity]
const call = callsTo(() => service)
const merchant = keyCaller()
const input = {
  concepto: 'Curso de barismo',
  reference: 'A-1042',
  amount_cents: 25_000,
  metadata: { margin: 'secret-margin' },
  payer_email: 'ana@example.com',
}
const make = async (change: object = {}) =>
  (await call(merchant, 'POST', '/checkout/v1/links', { ...input, ...change })).body.data
const page = async (path: string) => {
  const response = await fetch(`${service.url}${path}`, { headers: await service.headers(payer) })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

describe('GET /api/public/links/{id}', () => {
  test('returns the public fields of a link to any caller, and nothing internal', async () => {
    const link = await make()
    for (const caller of [payer, keyCaller(), operatorCaller()]) {
      const { status, headers, body } = await call(caller, 'GET', `/api/public/links/${link.id}`)
      expect([status, Object.keys(body).sort(), body.url]).toEqual([200, ['data', 'url'], link.url])
      expect(Object.keys(body.data).sort()).toEqual(Object.keys(publicLink.shape).sort())
      expect(body.data).toEqual({
        id: link.id,
        concepto: 'Curso de barismo',
        reference: 'A-1042',
        amount_cents: 25_000,
        currency: 'MXN',
        status: 'active',
        payment_method_types: ['card'],
        merchant_name: 'Café Azul',
        created_at: link.created_at,
        expires_at: link.expires_at,
        paid_at: null,
      })
      expect(headers.get('x-cobro-correlation-id')).toBe(link.correlation_id)
      for (const hidden of [link.merchant_id, link.correlation_id, 'secret-margin', 'ana@example.com', 'pi_'])
        expect([hidden, JSON.stringify(body).includes(hidden)]).toEqual([hidden, false])
    }
  })

  test('returns the status of a cancelled and of an expired link', async () => {
    const [cancelled, expired] = [await make(), await make({ expires_in: 1 })]
    await call(merchant, 'POST', `/checkout/v1/links/${cancelled.id}/cancel`)
    const statusOf = async ({ id }: { id: string }) =>
      (await call(payer, 'GET', `/api/public/links/${id}`)).body.data.status
    expect(await statusOf(cancelled)).toBe('cancelled')
    await waitFor(async () => (await statusOf(expired)) === 'expired')
  })

  test('answers 404 with the same body for every unknown id', async () => {
    const session = await call(merchant, 'POST', '/checkout/v1/sessions', {
      amount_total: 1,
      return_url: 'https://a.mx',
    })
    for (const id of [newId('pl'), 'pl_1', 'nonsense', '..%2f', session.body.id]) {
      const { status, body } = await call(payer, 'GET', `/api/public/links/${id}`)
      expect([id, status, body]).toEqual([id, 404, { error: 'not_found' }])
    }
    expect((await call(payer, 'POST', `/api/public/links/${newId('pl')}`, {})).status).toBe(405)
  })
})

describe('GET /hosted/v1/links/{id}', () => {
  test('returns the payer’s view of a link with a key to encrypt the card to', async () => {
    const link = await make()
    const { status, body } = await call(payer, 'GET', `/hosted/v1/links/${link.id}`)
    expect([status, body.data]).toEqual([
      200,
      {
        kind: 'link',
        id: link.id,
        status: 'pending',
        transaction_status: 'Pending',
        concepto: 'Curso de barismo',
        reference: 'A-1042',
        amount_total: 25_000,
        currency: 'MXN',
        merchant_name: 'Café Azul',
        merchant_status: 'active',
        line_items: [],
        adjustment_cents: 0,
        hide_line_items: true,
        locale: null,
        brand_color: null,
        logo_url: null,
        payer_email: 'ana@example.com',
        payment_method_types: ['card'],
        expires_at: Date.parse(link.expires_at),
        now: expect.any(Number),
        attempts_left: 10,
        retry_at: null,
        in_progress: false,
        voucher: null,
        had_voucher: false,
        redirect_url: null,
        cancel_url: null,
        environment: 'sandbox',
        card_encryption_key: expect.objectContaining({ kid: 'k1', alg: 'ECDH-ES' }),
      },
    ])
  })

  test('returns no encryption key for a link that cannot be paid by card', async () => {
    const cash = await make({ payment_method_types: ['cash'] })
    const over = await make()
    await call(merchant, 'POST', `/checkout/v1/links/${over.id}/cancel`)
    for (const [{ id }, status] of [
      [cash, 'pending'],
      [over, 'cancelled'],
    ] as const) {
      const { data } = (await call(payer, 'GET', `/hosted/v1/links/${id}`)).body
      expect([data.status, data.card_encryption_key]).toEqual([status, null])
    }
  })

  test('answers 503 without the acquirer’s encryption key', async () => {
    const { id } = await make()
    const db = openDatabase({ url: service.database.url('checkout'), schema: 'checkout', entities })
    const acquirer = { encryptionKey: () => Promise.reject(new AcquirerUnavailable('a timeout')) }
    const deps = { db, acquirer, environment: 'sandbox', limits: defaultLimits } as const
    await expect(viewPayable(deps, id)).rejects.toMatchObject({ status: 503 })
    await db.close()
  })

  test('leaves out the e-mail address of a link that can no longer be paid', async () => {
    const { id } = await make()
    const shown = async () => (await call(payer, 'GET', `/hosted/v1/links/${id}`)).body.data.payer_email
    expect(await shown()).toBe('ana@example.com')
    await call(merchant, 'POST', `/checkout/v1/links/${id}/cancel`)
    expect(await shown()).toBeNull()
    const { data } = (await call(merchant, 'GET', `/checkout/v1/links/${id}`)).body
    expect(data.payer_email).toBe('ana@example.com')
  })

  test('emits payment_link.viewed at most once a minute', async () => {
    const link = await make()
    const view = () => call(payer, 'GET', `/hosted/v1/links/${link.id}`)
    const viewedEvents = () =>
      service.tap.names(link.correlation_id).filter(name => name === 'payment_link.viewed').length
    await Promise.all(Array.from({ length: 10 }, view))
    await view()
    await waitFor(() => viewedEvents() === 1)
    await service.database.query(
      `update checkout.payment_links set viewed_at = now() - interval '61 seconds' where id = $1`,
      [link.id],
    )
    await Promise.all(Array.from({ length: 10 }, view))
    // The event of the cancellation arrives after all viewed events.
    await call(merchant, 'POST', `/checkout/v1/links/${link.id}/cancel`)
    await waitFor(() => service.tap.names(link.correlation_id).includes('payment_link.cancelled'))
    expect(viewedEvents()).toBe(2)
    expect((await call(payer, 'GET', `/api/public/links/${link.id}`)).status).toBe(200)
    expect(viewedEvents()).toBe(2)
  })

  test('answers 404 for a link under the path of sessions and for a session under the path of links', async () => {
    const link = await make()
    for (const path of [`/hosted/v1/checkout/${link.id}`, `/hosted/v1/links/${newId('cs')}`])
      expect([path, (await call(payer, 'GET', path)).status]).toEqual([path, 404])
  })
})

test('serves the page of a link whose URL has additional query parameters', async () => {
  const link = await make()
  expect((await page(`/links/${link.id}?fbclid=abc&utm_source=wa`)).status).toBe(200)
})

test('serves the page of a link with its security policy, and the same page with 404 for an unknown link', async () => {
  const link = await make()
  const shown = await page(`/links/${link.id}`)
  expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  const policy = shown.headers.get('content-security-policy') ?? ''
  for (const part of ["default-src 'none'", "script-src 'self'", "img-src 'self'", "frame-ancestors 'none'"])
    expect(policy.split('; ')).toContain(part)
  expect(shown.headers.get('cache-control')).toBe('no-store')
  expect(shown.headers.get('referrer-policy')).toBe('no-referrer')
  expect(shown.headers.get('x-cobro-correlation-id')).toBe(link.correlation_id)
  expect(shown.text).not.toMatch(/Curso de barismo|secret-margin/)
  for (const id of [newId('pl'), 'nonsense', newId('cs')]) {
    const none = await page(`/links/${id}`)
    expect([id, none.status, none.text]).toEqual([id, 404, shown.text])
    expect(none.headers.get('content-security-policy')).toBe(policy)
  }
})
