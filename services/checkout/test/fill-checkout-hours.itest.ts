import { type Database, migrate, openDatabase } from '@cobro/database'
import { type TestDatabase, testDatabase } from '@cobro/testing'
import { migrations } from '../migrations/all-checkout.ts'
import { foldCheckoutHours } from '../src/reports/fold-checkout-hours.ts'
import { differingHours, hoursOf, recountedHours } from './checkout-hours.ts'

const schema = 'checkout'
const existing = 600
let database: TestDatabase
let db: Database
beforeAll(async () => {
  database = await testDatabase({ schemas: [schema] })
  db = openDatabase({ url: database.url(schema), schema, entities: [] })
})
afterAll(async () => {
  await db?.close()
  await database?.drop()
})

const migrateTo = (newest: string) =>
  migrate({ url: database.migratorUrl, schema, migrations: migrations.filter(({ name }) => name <= newest) })

/** Inserts sessions and links as every release does, of three merchants and many hours. */
async function insertPayables(from: number, to: number): Promise<void> {
  const numbers = `from generate_series(${from}, ${to - 1}) n`
  await database.query(`
    insert into checkout.checkout_sessions (id, merchant_id, merchant_name, correlation_id, payment_intent_id, payment_id,
      url, status, transaction_status, amount_total, currency, session_type, checkout_type, payment_method_types,
      ui_config_version, line_items, attempt_count, decline_count, viewed_at, created_at, modified_at, expires_at)
    select 'cs_' || n, 'mrc_' || n % 3, 'Café Azul', 'corr_' || n, 'pi_' || n, n, 'https://pay.example.com',
      (array['pending', 'completed', 'expired', 'cancelled'])[1 + n % 4], 'Pending', 100, 'MXN', 'payment', 'hosted', '[]',
      'v1', '[]', n % 2, 0, case when n % 5 < 2 then now() end, now() - n * interval '7 min', now(), now() + interval '1 day'
    ${numbers}`)
  await database.query(`
    insert into checkout.payment_links (id, merchant_id, merchant_name, correlation_id, payment_intent_id, url, status,
      concepto, amount_cents, currency, payment_method_types, attempt_count, decline_count, viewed_at, created_at, updated_at,
      expires_at)
    select 'pl_' || n, 'mrc_' || n % 3, 'Café Azul', 'corr_' || n, 'pi_' || n, 'https://pay.example.com',
      (array['active', 'paid', 'expired', 'cancelled'])[1 + n % 4], 'Curso', 100, 'MXN', '[]', n % 2, 0,
      case when n % 5 < 2 then now() end, now() - n * interval '11 min', now(), now() + interval '1 day'
    ${numbers}`)
}

test('the migrations add what exists, while sessions and links are written and changed', async () => {
  await migrateTo('0013-counted-attempts')
  await insertPayables(0, existing)
  let done = false
  let next = existing
  const write = async () => {
    for (; !done; next++) {
      await insertPayables(next, next + 1)
      const id = (kind: string) => [`${kind}_${next - existing / 2}`]
      await database.query(`update checkout.checkout_sessions set status = 'cancelled' where id = $1`, id('cs'))
      await database.query('update checkout.payment_links set viewed_at = now() where id = $1', id('pl'))
    }
  }
  const writing = write()
  await migrateTo('0015-filled-checkout-hours').finally(() => {
    done = true
  })
  await writing
  expect(next).toBeGreaterThan(existing)
  expect((await hoursOf(database)).length).toBeGreaterThan(100)
  expect(await hoursOf(database)).toEqual(await recountedHours(database))
  expect(await differingHours(database)).toBe(0)
})

test('the last migration may be repeated: it adds only what is lacking', async () => {
  await foldCheckoutHours(db)
  await database.query('delete from checkout.checkout_hours')
  await database.query('delete from checkout.checkout_hours_of_all')
  await database.query(`update checkout.payment_links set status = 'expired' where status = 'active'`)
  expect(await differingHours(database)).toBeGreaterThan(100)
  const steps = migrations.find(({ name }) => name === '0015-filled-checkout-hours')?.statements ?? []
  for (const _twice of [1, 2]) {
    for (const step of steps) await database.query(`set search_path = checkout; ${step}; reset search_path`)
    expect(await differingHours(database)).toBe(0)
  }
})
