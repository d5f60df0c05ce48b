import { encryptTestCard, hostedApiUrl } from '@cobro/local-stack'
import { waitFor } from '@cobro/testing'
import { acceptanceStack } from './acceptance-stack.ts'
import { type ApiClient, type ApiResponse, clientsOf, userClient } from './api-client.ts'
import { checkRefundsTomorrow } from './refund-checks.ts'

/** The expected audit record of an action: the actor, the target, the call and the lifecycle. */
export interface Happening {
  target_id: string | null
  actor: { type: string; id: string | null }
  request_id: string | null
  correlation_id: string | null
  merchant_id: string | null
  /** Further recorded fields, such as the amount. */
  more?: object
}

/** For each action, the ways to trigger it through the API. */
export type Causes = Record<string, readonly (() => Promise<Happening>)[]>

/** An answered call and its expected audit record. */
export interface Deed extends Pick<ApiResponse, 'status' | 'body'> {
  did: (target_id: string | null, about?: Partial<Happening>) => Happening
}

/** A session, a link, or a manual transaction. */
export interface Lifecycle {
  id: string
  correlation_id: string
}

export const system = { actor: { type: 'system', id: null }, request_id: null }
export const acquirer = { actor: { type: 'acquirer', id: null }, request_id: null }
const money = { amount_cents: 25_000, currency: 'MXN' }

/** The fields of every record within a lifecycle, and of records about money. */
export const within = ({ correlation_id }: Lifecycle) => ({ correlation_id })
export const ofMoney = (lifecycle: Lifecycle, metadata?: object) => ({
  ...within(lifecycle),
  more: metadata ? { ...money, metadata: expect.objectContaining(metadata) } : money,
})

export type AuditWorld = Awaited<ReturnType<typeof auditWorld>>

/** A stack and the callers that trigger audited actions. `second` is another merchant's key. */
export async function auditWorld() {
  // Of the calls that need an approval, only those do that always need one.
  const stack = await acceptanceStack({
    transactions: {
      BANK_CHANGE_HOLD_HOURS: '72',
      ...{ DUAL_CONTROL: 'on', DUAL_CONTROL_CENTS: String(Number.MAX_SAFE_INTEGER) },
    },
  })
  await checkRefundsTomorrow(stack)
  const { base_url, merchant_id, second } = stack.stack
  const { merchant: key, stranger, operator, client, payer } = await clientsOf(stack.stack)
  const userOf = async (account: object) => (await payer.call('POST', '/api/auth/login', account)).body.user.id
  const keyOf = async (merchant: string) =>
    (await operator.call('GET', '/api/api-keys', undefined, { 'x-merchant-id': merchant })).body.data[0].id
  const secondOperator = { email: 'approver@audit.test', password: 'a password for approvals' }
  await operator.call('POST', '/api/users', { ...secondOperator, role: 'operator', merchants: 'all' })
  const approver = await userClient(base_url, secondOperator)
  const clients = { key, operator, approver, client, payer, second: stranger }
  const ids: Record<keyof typeof clients, string | null> = {
    ...{ key: await keyOf(merchant_id), second: await keyOf(second.merchant_id), payer: null },
    ...{ operator: await userOf(stack.stack.operator), client: await userOf(stack.stack.client) },
    approver: await userOf(secondOperator),
  }

  /** Makes a call, whatever the answer. Except on `/api/merchants`, operators state a merchant. */
  async function call(who: keyof typeof clients, method: string, path: string, body?: object): Promise<Deed> {
    const stated: Record<string, string> = isStated(who, path) ? { 'x-merchant-id': merchant_id } : {}
    const answer = await clients[who].call(method, path, body, stated)
    const merchant = who === 'second' ? second.merchant_id : merchant_id
    return deedOf(answer, { type: kinds[who] ?? who, id: ids[who] }, merchant)
  }
  /** Makes a call as a user of the first merchant. */
  async function asUser({ id, client }: { id: string; client: ApiClient }, ...request: [string, string, object?]) {
    return deedOf(await client.call(...request), { type: 'client', id }, merchant_id)
  }
  /** Makes a call that must succeed. */
  async function by(...input: Parameters<typeof call>): Promise<Deed> {
    const deed = await call(...input)
    if (deed.status < 300) return deed
    throw new Error(`${input[1]} ${input[2]}: ${deed.status} ${JSON.stringify(deed.body)}`)
  }
  return { stack, merchant_id, ids, call, asUser, by, ...paymentsOf({ call, by, base_url }) }
}

function deedOf(answer: ApiResponse, actor: Happening['actor'], merchant_id: string): Deed {
  const recorded = { actor, request_id: answer.headers.get('x-request-id'), merchant_id, correlation_id: null }
  return { ...answer, did: (target_id, about) => ({ target_id, ...recorded, ...about }) }
}

/** The kinds of the callers whose name is another. */
const kinds: Record<string, string> = { second: 'key', approver: 'operator' }
const isStated = (who: string, path: string) => (kinds[who] ?? who) === 'operator' && !path.startsWith('/api/merchants')

type Calls = Record<
  'call' | 'by',
  (who: 'key' | 'operator' | 'payer', ...call: [string, string, object?]) => Promise<Deed>
>

/** Calls about payments. */
function paymentsOf({ call, by, base_url }: Calls & { base_url: string }) {
  const pathOf = ({ id }: Lifecycle) => new URL(hostedApiUrl(base_url, id)).pathname
  const look = (payable: Lifecycle) => by('payer', 'GET', pathOf(payable))

  async function open(kind: 'sessions' | 'links', change: object = {}): Promise<{ deed: Deed; payable: Lifecycle }> {
    const order = { amount_total: 25_000, return_url: 'https://shop.mx' }
    const charge = { amount_cents: 25_000, concepto: 'Curso' }
    const body = { ...(kind === 'sessions' ? order : charge), ...change }
    const deed = await by('key', 'POST', `/checkout/v1/${kind}`, body)
    return { deed, payable: deed.body.data ?? deed.body }
  }
  /** Pays as the page does; returns the call and the resulting transaction. */
  async function pay(payable: Lifecycle, card = '4242424242424242'): Promise<{ deed: Deed; transaction: string }> {
    const hosted = (await look(payable)).body.data
    const card_jwe = hosted.card_encryption_key ? await encryptTestCard(hosted, card) : 'never decrypted'
    const deed = await call('payer', 'POST', `${pathOf(payable)}/payments`, { method: 'card', card_jwe })
    return { deed, transaction: await transactionOf(payable) }
  }
  /** Requests a voucher as the page does. */
  async function askVoucher(payable: Lifecycle) {
    const deed = await by('payer', 'POST', `${pathOf(payable)}/payments`, { method: 'cash' })
    return { deed, transaction: await transactionOf(payable), reference: deed.body.voucher.reference as string }
  }
  async function transactionOf({ correlation_id }: Lifecycle): Promise<string> {
    const { body } = await by('key', 'GET', `/api/transactions?correlation_id=${correlation_id}`)
    return body.data[0]?.id
  }
  /** An approved card payment. */
  async function paid(card?: string): Promise<Lifecycle & { transaction: string }> {
    const { payable } = await open('sessions')
    return { ...payable, transaction: (await pay(payable, card)).transaction }
  }
  /** Creates a manual transaction. */
  async function enter(change: object = {}): Promise<{ deed: Deed; sale: Lifecycle }> {
    const sale = { rail: 'online_cnp', payment_method: 'card', amount_cents: 25_000, ...change }
    const deed = await by('operator', 'POST', '/api/transactions', sale)
    return { deed, sale: deed.body.data }
  }
  /** Waits until a row matches. */
  const becomes = (path: string, expected: object) =>
    waitFor(async () => {
      const row = (await by('operator', 'GET', path)).body.data
      return Object.entries(expected).every(([name, value]) => row[name] === value)
    })
  return { look, open, pay, askVoucher, paid, enter, becomes }
}
