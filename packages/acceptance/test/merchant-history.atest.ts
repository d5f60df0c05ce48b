import { newId } from '@cobro/contracts'
import { waitFor } from '@cobro/testing'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { clientsOf } from '../src/api-client.ts'
import { sharedStack } from '../src/shared-stack.ts'

let stack: AcceptanceStack
let clients: Awaited<ReturnType<typeof clientsOf>>
beforeAll(async () => {
  stack = await sharedStack()
  clients = await clientsOf(stack.stack)
})
afterAll(() => stack?.stop())

const read = async (path: string) => {
  const { status, body } = await clients.merchant.call('GET', path)
  expect(status).toBe(200)
  return body
}

/** Waits until the audit log has such calls: each is recorded a moment after its end, not in the order of the calls. */
const recorded = (path: string) =>
  waitFor(async () => {
    const { data } = await read(path)
    return data.length > 0 && data
  })

test('shows a merchant its calls with operation and error code, and those of its payers only in the lifecycle', async () => {
  const order = { amount_total: 25_000, return_url: 'https://shop.mx' }
  const { id, correlation_id } = (await clients.merchant.call('POST', '/checkout/v1/sessions', order)).body
  const { status, headers } = await clients.merchant.call('GET', `/api/transactions/${newId('txn')}`)
  expect(status).toBe(404)
  expect((await clients.payer.call('GET', `/hosted/v1/checkout/${id}`)).status).toBe(200)

  const lifecycle = await waitFor(async () => {
    const { data } = await read(`/api/lifecycles/${correlation_id}`)
    return data.some(({ actor_type }: any) => actor_type === 'payer') && data
  })
  expect(lifecycle.map(({ action }: any) => action)).toContain('checkout_session.created')
  expect(JSON.stringify(lifecycle)).not.toContain('127.0.0.1')

  const [created] = await recorded(`/api/requests?correlation_id=${correlation_id}`)
  expect(created).toMatchObject({ operation_id: 'createCheckoutSession', status_code: 201, error_code: null })
  const [missing] = await recorded(`/api/requests?status_class=4xx&request_id=${headers.get('x-request-id')}`)
  expect(missing).toMatchObject({ operation_id: 'getTransaction', status_code: 404, error_code: 'not_found' })
})

test('a reader that follows its calls is not woken by its own', async () => {
  let { through } = await read('/api/requests?after_seq=latest')
  for (const _round of [1, 2]) {
    const startedAt = performance.now()
    const page = await read(`/api/requests?after_seq=${through}&operation_id=listRequests&wait=2`)
    expect(page.data).toEqual([])
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(2_000)
    through = page.through
  }
  const waiting = read(`/api/requests?after_seq=${through}&operation_id=getMe&wait=20`)
  await read('/api/me')
  expect((await waiting).data).toMatchObject([{ operation_id: 'getMe', status_code: 200 }])
})
