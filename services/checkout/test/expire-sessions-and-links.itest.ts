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

test('expires a session once and emits its events', async () => {
  const caller = keyCaller()
  const { body } = await call(caller, 'POST', path, { ...minimal, expires_in: 1 })
  await waitFor(async () => (await call(caller, 'GET', `${path}/${body.id}`)).body.status === 'expired')
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

test.each([
  ['session', path, minimal, 'checkout_sessions'],
  ['link', '/checkout/v1/links', { concepto: 'Curso', amount_cents: 25_000 }, 'payment_links'],
])('expires a %s within 5 s of its expiry', async (_kind, path, input, table) => {
  const caller = keyCaller()
  const expire = async () => {
    const { body } = await call(caller, 'POST', path, input)
    const { id } = body.data ?? body
    await service.database.query(`update checkout.${table} set expires_at = now() where id = $1`, [id])
    const dueAt = performance.now()
    const read = async () => (await call(caller, 'GET', `${path}/${id}`)).body
    await waitFor(async () => {
      const body = await read()
      return (body.data ?? body).status === 'expired'
    })
    return performance.now() - dueAt
  }
  // Right after a sweep, so that the next one is due only after a whole interval.
  await expire()
  // A machine that stalls delays some sweeps; a sweeper that runs too rarely is always late.
  await waitFor(async () => (await expire()) < 5_000)
})

test('expires 1,200 due sessions exactly once in few transactions, and skips one whose event cannot be encoded', async () => {
  const caller = keyCaller()
  const broken = (await call(caller, 'POST', path, { ...minimal, expires_in: 60 })).body
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
  await service.database.query(`update checkout.checkout_sessions set expires_at = now() where payment_id > 1000000`)
  const left = async () =>
    (
      await service.database.query(
        `select count(*)::int as n from checkout.checkout_sessions where status = 'pending' and payment_id > 1000000`,
      )
    )[0].n
  await waitFor(async () => (await left()) === 0, { intervalMs: 100 })
  const [{ transactions }] = await service.database.query(
    `select count(distinct xmin::text)::int as transactions from checkout.checkout_sessions where payment_id > 1000000`,
  )
  // 24 chunks of fifty. Of each batch of five hundred, the chunk with the broken session is halved until that session fails alone.
  expect(transactions).toBeLessThan(300)
  // The relay may publish an event twice, with the same id.
  const expiredEvents = () => {
    const events = service.tap.messages.filter(
      message => message.name === 'payment.expired' && message.target_id?.startsWith('cs_01jd'),
    )
    return new Set(events.map(({ id }) => id))
  }
  await waitFor(() => expiredEvents().size >= 1200)
  expect(expiredEvents().size).toBe(1200)
  expect((await call(caller, 'GET', `${path}/${newId('cs')}`)).status).toBe(404)
})
