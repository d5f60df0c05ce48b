import { newId } from '@cobro/contracts'
import { keyCaller } from '@cobro/http/test-identity'
import { waitFor } from '@cobro/testing'
import { callsTo } from './checkout-calls.ts'
import { checkoutUnderTest } from './checkout-under-test.ts'

let service: Awaited<ReturnType<typeof checkoutUnderTest>>
beforeAll(async () => {
  service = await checkoutUnderTest()
})
afterAll(() => service?.stop())

const call = callsTo(() => service)
const path = '/checkout/v1/sessions'
const minimal = { amount_total: 25_000, return_url: 'https://shop.mx/back' }

test('expires a session once, within 5 s of its expiry, and emits its events', async () => {
  const caller = keyCaller()
  const { body } = await call(caller, 'POST', path, { ...minimal, expires_in: 1 })
  await waitFor(async () => (await call(caller, 'GET', `${path}/${body.id}`)).body.status === 'expired', {
    timeoutMs: 6_000,
  })
  await waitFor(() => service.tap.names(body.correlation_id).length === 5)
  expect(service.tap.names(body.correlation_id).slice(1)).toEqual([
    'payment.expired',
    'payment.failed',
    'checkout_session.expired',
    'checkout_session.completed',
  ])
  const failed = service.tap.messages.find(
    message => message.name === 'payment.failed' && message.correlation_id === body.correlation_id,
  )
  expect(failed?.data).toMatchObject({ id: body.id, status: 'expired' })
})

test('expires 1,200 due sessions exactly once, and skips one whose event cannot be encoded', async () => {
  const caller = keyCaller()
  const broken = (await call(caller, 'POST', path, { ...minimal, expires_in: 60 })).body
  const openingAt = performance.now()
  for (let i = 0; i < 40; i++) await call(caller, 'POST', path, minimal)
  const openedMs = (performance.now() - openingAt) / 40
  await service.database.query(
    `insert into checkout.checkout_sessions
     select (jsonb_populate_record(s, jsonb_build_object('id', 'cs_01jd' || lpad(n::text, 22, '0'), 'payment_intent_id', 'pi_01jd' || lpad(n::text, 22, '0'), 'payment_id', 1000000 + n))).*
     from checkout.checkout_sessions s, generate_series(1, 1200) n where s.id = $1`,
    [broken.id],
  )
  await service.database.query(`update checkout.checkout_sessions set customer = '{"email": 5}' where id = $1`, [
    broken.id,
  ])
  await service.database.query(
    `update checkout.checkout_sessions set expires_at = now() - interval '1 hour' where id = $1`,
    [broken.id],
  )
  const startedAt = performance.now()
  await service.database.query(`update checkout.checkout_sessions set expires_at = now() where payment_id > 1000000`)
  const left = async () =>
    (
      await service.database.query(
        `select count(*)::int as n from checkout.checkout_sessions where status = 'pending' and payment_id > 1000000`,
      )
    )[0].n
  await waitFor(async () => (await left()) === 0, { intervalMs: 100 })
  const expiredMs = performance.now() - startedAt
  process.stdout.write(`opened a session in ${openedMs.toFixed(1)} ms, expired 1,200 in ${Math.round(expiredMs)} ms\n`)
  // On a slow machine, it takes less time than opening as many one by one.
  expect(expiredMs).toBeLessThan(Math.max(5_000, 1_200 * openedMs))
  await waitFor(
    () =>
      service.tap.messages.filter(
        message => message.name === 'payment.expired' && message.target_id?.startsWith('cs_01jd'),
      ).length >= 1200,
  )
  expect(
    service.tap.messages.filter(
      message => message.name === 'payment.expired' && message.target_id?.startsWith('cs_01jd'),
    ),
  ).toHaveLength(1200)
  expect((await call(caller, 'GET', `${path}/${newId('cs')}`)).status).toBe(404)
})
