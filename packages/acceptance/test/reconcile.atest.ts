import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { newId } from '@cobro/contracts'
import { payByCard, payInCash } from '@cobro/local-stack'
import { programEnv, waitFor } from '@cobro/testing'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { clientsOf } from '../src/api-client.ts'
import { metricOf } from '../src/scraped-metrics.ts'
import { sharedStack } from '../src/shared-stack.ts'

let stack: AcceptanceStack
let clients: Awaited<ReturnType<typeof clientsOf>>
beforeAll(async () => {
  stack = await sharedStack()
  clients = await clientsOf(stack.stack)
})
afterAll(() => stack?.stop())

/** Runs the command as the on-call engineer does, and returns the differences of this file's merchant. */
async function reconcile(): Promise<{ code: number; differences: { merchant_id: string }[] }> {
  const url = new URL(stack.stack.postgres_url)
  url.searchParams.set('options', '-c role=cobro_operator')
  const main = join(import.meta.dirname, '..', '..', 'ops', 'src', 'main.ts')
  const { code, stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=cobro-source', main, 'reconcile', '--days', '1'],
    { env: { ...programEnv(), POSTGRES_URL: url.href } },
  ).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: { code: number; stdout: string }) => error,
  )
  const { differences } = JSON.parse(stdout) as { differences: { merchant_id: string }[] }
  return { code, differences: differences.filter(({ merchant_id }) => merchant_id === stack.stack.merchant_id) }
}

/** Makes the daily check of both services due, and returns how many differences each of them has found. */
async function checkedByServices() {
  const services = ['checkout', 'transactions'] as const
  const found = services.map(async service => {
    const table = `${service}.reconciliation`
    // An overdue age shows that the check has ended, and that the alert on it would fire. It is due only after the age was read,
    // since the service may check at once.
    const overdue = `next_at = now() + interval '1 hour', checked_until = now() - interval '30 hours', differences = -1`
    await stack.query(`update ${table} set ${overdue}`)
    expect(await metricOf(stack.stack, service, 'cobro_reconciliation_age_seconds')).toBeGreaterThan(29 * 3_600)
    await stack.query(`update ${table} set next_at = now()`)
    return waitFor(async () => {
      const differences = await metricOf(stack.stack, service, 'cobro_reconciliation_differences')
      const age = await metricOf(stack.stack, service, 'cobro_reconciliation_age_seconds')
      return differences !== undefined && differences >= 0 && age !== undefined && age < 3_600 && { differences }
    })
  })
  const [checkout, transactions] = await Promise.all(found)
  return { checkout: checkout?.differences, transactions: transactions?.differences }
}

/** Compares as the on-call engineer and as the services do. */
const compared = async () => ({ ...(await reconcile()), ...(await checkedByServices()) })

const nothing = { differences: [], checkout: 0, transactions: 0 }

const order = { amount_total: 25_000, return_url: 'https://shop.mx', payment_method_types: ['card', 'cash'] }
const product = { amount_cents: 25_000, concepto: 'Curso', payment_method_types: ['card', 'cash'] }
type Path = 'sessions' | 'links'

async function opened(path: Path): Promise<{ id: string; correlation_id: string }> {
  const { body } = await clients.merchant.call('POST', `/checkout/v1/${path}`, path === 'links' ? product : order)
  return body.data ?? body
}

const transactionOf = ({ id, path }: { id: string; path: Path }) =>
  waitFor(async () => {
    const { body } = await clients.merchant.call('GET', `/checkout/v1/${path}/${id}`)
    const { transaction_id } = body.data ?? body
    return transaction_id && { id, transaction_id: transaction_id as string }
  })

/** Opens a session or link and pays it. */
async function paid(path: Path): Promise<{ id: string; transaction_id: string }> {
  const { id } = await opened(path)
  await payByCard(stack.stack.hosted_url, id, '4242424242424242')
  return transactionOf({ id, path })
}

/** Opens a session or link and pays it with a voucher, after it has expired if `late`. */
async function paidInCash(path: Path, late = false): Promise<{ id: string; correlation_id: string }> {
  const { id, correlation_id } = await opened(path)
  const { body } = await payInCash(stack.stack.hosted_url, id)
  if (late) {
    const table = path === 'links' ? 'payment_links' : 'checkout_sessions'
    await stack.query(`update checkout.${table} set expires_at = now() where id = $1`, [id])
    await waitFor(
      async () =>
        (
          await stack.query('select 1 from transactions.transactions where payable_id = $1 and status = $2', [
            id,
            'expired',
          ])
        ).length > 0,
    )
  }
  const voucher = (body as unknown as { voucher: { reference: string } }).voucher
  expect((await clients.operator.call('POST', `/api/sandbox/vouchers/${voucher.reference}/pay`)).status).toBe(200)
  return { id, correlation_id }
}

/** Moves what happened until now before the time in which checkout may still learn of a payment. */
async function pass() {
  const ago = (column: string) => `${column} = ${column} - interval '20 minutes' where merchant_id = $1`
  for (const change of [
    `transactions.transactions set ${ago('captured_at')}`,
    `checkout.checkout_sessions set ${ago('modified_at')}`,
    `checkout.payment_links set ${ago('updated_at')}`,
  ])
    await stack.query(`update ${change}`, [stack.stack.merchant_id])
}

test('finds no difference among paid, refunded, late and open sessions and links', async () => {
  for (const path of ['sessions', 'links'] as const) {
    await paid(path)
    await opened(path)
    const refunded = await paid(path)
    await clients.merchant.call('POST', `/api/transactions/${refunded.transaction_id}/refund`)
    await transactionOf({ ...(await paidInCash(path)), path })
    const { correlation_id } = await paidInCash(path, true)
    await waitFor(async () => {
      const sql = `select 1 from transactions.transactions where correlation_id = $1 and late_payment_of is not null and status = 'refunded'`
      return (await stack.query(sql, [correlation_id])).length > 0
    })
  }
  await pass()
  expect(await compared()).toEqual({ code: 0, ...nothing })
})

test('finds no difference in a payment that checkout may still learn of', async () => {
  const { id, transaction_id } = await paid('sessions')
  const set = (status: string, transaction: string | null) =>
    stack.query('update checkout.checkout_sessions set status = $2, transaction_id = $3 where id = $1', [
      id,
      status,
      transaction,
    ])
  await set('pending', null)
  expect(await compared()).toEqual({ code: 0, ...nothing })
  await set('completed', transaction_id)
})

test.each([
  ['sessions', 'checkout_sessions'],
  ['links', 'payment_links'],
] as const)('finds %s that no payment completed, and payments that completed none', async (path, table) => {
  const { id, transaction_id } = await paid(path)
  const money = { merchant_id: stack.stack.merchant_id, amount_cents: '25000', currency: 'MXN' }
  await pass()
  const set = (to: string) => stack.query(`update checkout.${table} set transaction_id = $2 where id = $1`, [id, to])
  await set('txn_forged')
  const { differences, ...others } = await compared()
  expect(others).toEqual({ code: 1, checkout: 2, transactions: 0 })
  expect(differences).toHaveLength(2)
  expect(differences).toEqual(
    expect.arrayContaining([
      { kind: 'unpaid', id, transaction_id: 'txn_forged', ...money },
      { kind: 'unfulfilled', id, transaction_id, ...money },
    ]),
  )
  await set(transaction_id)
  await stack.query(`update transactions.transactions set payable_id = 'cs_other' where id = $1`, [transaction_id])
  expect(await compared()).toMatchObject({ checkout: 2, transactions: 0 })
  await stack.query('update transactions.transactions set payable_id = $2 where id = $1', [transaction_id, id])
  expect(await compared()).toEqual({ code: 0, ...nothing })
})

test('finds captures that the ledger lacks or has with another amount, and entries without a capture', async () => {
  const { transaction_id } = await paid('sessions')
  await pass()
  const change = (what: string) =>
    stack.query(`update transactions.transactions set ${what} where id = $1`, [transaction_id])
  const [{ captured_at }] = await stack.query('select captured_at from transactions.transactions where id = $1', [
    transaction_id,
  ])
  const difference = {
    kind: 'unposted',
    id: transaction_id,
    transaction_id,
    merchant_id: stack.stack.merchant_id,
    currency: 'MXN',
  }

  // The amount differs from the session's as well.
  await change('amount_cents = 24999')
  const wrongAmount = await compared()
  expect(wrongAmount).toMatchObject({ code: 1, checkout: 1, transactions: 1 })
  expect(wrongAmount.differences).toContainEqual({ ...difference, amount_cents: '24999' })

  await change('amount_cents = 25000, fee_cents = 1')
  expect(await compared()).toMatchObject({
    code: 1,
    checkout: 0,
    transactions: 1,
    differences: [{ ...difference, amount_cents: '25000' }],
  })

  await change('fee_cents = 0, captured_at = null')
  // The status contradicts it too.
  const uncaptured = await compared()
  expect(uncaptured).toMatchObject({ code: 1, checkout: 1, transactions: 2 })
  expect(uncaptured.differences).toContainEqual({ ...difference, amount_cents: '25000' })
  await stack.query('update transactions.transactions set captured_at = $2 where id = $1', [
    transaction_id,
    captured_at,
  ])
  expect(await compared()).toEqual({ code: 0, ...nothing })

  const unposted = newId('txn')
  await stack.query(
    `insert into transactions.transactions (id, merchant_id, type, correlation_id, rail, payment_method, status, amount_cents,
       currency, fee_cents, check_count, created_at, updated_at, captured_at)
     select $2, merchant_id, type, correlation_id, rail, payment_method, status, amount_cents, currency, 0, 0, created_at, updated_at,
       captured_at from transactions.transactions where id = $1`,
    [transaction_id, unposted],
  )
  expect(await compared()).toMatchObject({
    ...{ code: 1, checkout: 0, transactions: 1 },
    differences: [{ ...difference, id: unposted, transaction_id: unposted, amount_cents: '25000' }],
  })
  await stack.query('delete from transactions.transactions where id = $1', [unposted])
  expect(await compared()).toEqual({ code: 0, ...nothing })
})
