import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { hostedApiUrl, payByCard } from '@cobro/local-stack'
import { programEnv, waitFor } from '@cobro/testing'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { type ApiClient, clientsOf } from '../src/api-client.ts'
import { sharedStack } from '../src/shared-stack.ts'

let stack: AcceptanceStack
let merchant: ApiClient
beforeAll(async () => {
  stack = await sharedStack()
  merchant = (await clientsOf(stack.stack)).merchant
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

/** Opens a session or link and pays it. */
async function paid(path: 'sessions' | 'links', body: object): Promise<{ id: string; transaction_id: string }> {
  const { data, ...plain } = (await merchant.call('POST', `/checkout/v1/${path}`, body)).body
  const { id } = data ?? plain
  await payByCard(stack.stack.hosted_url, id, '4242424242424242')
  return waitFor(async () => {
    const { body } = await merchant.call('GET', `/checkout/v1/${path}/${id}`)
    const { transaction_id } = body.data ?? body
    return transaction_id && { id, transaction_id }
  })
}

test('finds no difference between payments and what they paid for', async () => {
  await paid('sessions', { amount_total: 25_000, return_url: 'https://shop.mx' })
  await paid('links', { amount_cents: 25_000, concepto: 'Curso' })
  const { id } = (
    await merchant.call('POST', '/checkout/v1/sessions', { amount_total: 100, return_url: 'https://x.mx' })
  ).body
  expect((await fetch(hostedApiUrl(stack.stack.base_url, id))).ok).toBe(true)
  await stack.query(
    `update transactions.transactions set captured_at = captured_at - interval '20 minutes' where merchant_id = $1`,
    [stack.stack.merchant_id],
  )
  expect((await reconcile()).differences).toEqual([])
})

test.each([
  ['sessions', { amount_total: 25_000, return_url: 'https://shop.mx' }, 'checkout_sessions'],
  ['links', { amount_cents: 25_000, concepto: 'Curso' }, 'payment_links'],
] as const)('finds %s that no payment completed, and payments that completed none', async (path, body, table) => {
  const { id, transaction_id } = await paid(path, body)
  const money = { merchant_id: stack.stack.merchant_id, amount_cents: '25000', currency: 'MXN' }
  await stack.query(
    `update transactions.transactions set captured_at = captured_at - interval '20 minutes' where id = $1`,
    [transaction_id],
  )
  const set = (to: string) => stack.query(`update checkout.${table} set transaction_id = $2 where id = $1`, [id, to])
  await set('txn_forged')
  expect(await reconcile()).toEqual({
    code: 1,
    differences: expect.arrayContaining([
      { kind: 'unpaid', id, transaction_id: 'txn_forged', ...money },
      { kind: 'unfulfilled', id, transaction_id, ...money },
    ]),
  })
  await set(transaction_id)
  await stack.query('update transactions.transactions set amount_cents = 24999 where id = $1', [transaction_id])
  expect((await reconcile()).differences).toEqual([{ kind: 'unpaid', id, transaction_id, ...money }])
  await stack.query('update transactions.transactions set amount_cents = 25000 where id = $1', [transaction_id])
  expect((await reconcile()).differences).toEqual([])
})
