import { hostedApiUrl, payByCard } from '@cobro/local-stack'
import { type TcpProxy, tcpProxy, testSetting, waitFor } from '@cobro/testing'
import { type AcceptanceStack, acceptanceStack } from './acceptance-stack.ts'
import { clientsOf } from './api-client.ts'
import { startReceiver } from './webhook-receiver.ts'

type PayableKind = 'sessions' | 'links'

/** A session or link under test. */
export interface TestPayable {
  kind: PayableKind
  id: string
  correlation_id: string
  merchant_id: string
}

export const cards = {
  good: '4242424242424242',
  poor: '4000000000009995',
  /** Approved once the test says so; until then the attempt is running. */
  slow: '4000000000000341',
  /** Charged, but the connection is cut before the answer. */
  cut: '4000000000006975',
} as const

const bodies = {
  sessions: { amount_total: 25_000, return_url: 'https://shop.mx' },
  links: { amount_cents: 25_000, concepto: 'Curso' },
}

/** A stack, a webhook receiver, a proxy to the broker, and the calls of payers and merchants. */
export interface AttemptWorld {
  stack: AcceptanceStack
  broker: TcpProxy
  receiver: Awaited<ReturnType<typeof startReceiver>>
  clients: Awaited<ReturnType<typeof clientsOf>>
  open: (kind: PayableKind, change?: object) => Promise<TestPayable>
  /** Pays as the page does; undefined if the call was cut off. */
  pay: (payable: TestPayable, card: string) => Promise<{ status: number } | undefined>
  /** Posts a payment that the page would not offer now: rejected before the card is decrypted. */
  press: (payable: TestPayable) => Promise<number>
  cancel: (payable: TestPayable) => Promise<number>
  /** The payment's attempts, and the charges at the acquirer. */
  attempts: (payable: TestPayable) => Promise<{ status: string; card: unknown }[]>
  charges: (payable: TestPayable) => Promise<{ status: string }[]>
  /** Waits for the charge of a slow card, and makes the acquirer report its outcome. */
  resolve: (payable: TestPayable) => Promise<void>
  stop: () => Promise<void>
}

/** Starts the stack. Its acquirer answers the slow card a day later, or on a `resolve` call. */
export async function attemptWorld(): Promise<AttemptWorld> {
  const receiver = await startReceiver()
  const broker = await tcpProxy(testSetting('TEST_AMQP_URL'))
  const env = { 'acquirer-sandbox': { SLOW_ANSWER_MS: '86400000' } }
  const stack = await acceptanceStack(env, { amqpUrl: broker.url })
  const clients = await clientsOf(stack.stack)
  await clients.merchant.call('POST', '/api/webhooks', { url: receiver.url, events: ['*'] })
  const ofIntent =
    'split_part(key, $2, 1) in (select payment_intent_id from checkout.payment_attempts where payable_id = $1)'
  return {
    ...{ stack, broker, receiver, clients },
    open: async (kind, change = {}) => {
      const { body } = await clients.merchant.call('POST', `/checkout/v1/${kind}`, { ...bodies[kind], ...change })
      return { ...(body.data ?? body), kind }
    },
    pay: ({ id }, card) => payByCard(stack.stack.hosted_url, id, card).catch(() => undefined),
    press: async ({ id }) => {
      const path = `${new URL(hostedApiUrl(stack.stack.hosted_url, id)).pathname}/payments`
      return (await clients.payer.call('POST', path, { method: 'card', card_jwe: 'never decrypted' })).status
    },
    cancel: async ({ kind, id }) => (await clients.merchant.call('POST', `/checkout/v1/${kind}/${id}/cancel`)).status,
    attempts: ({ id }) =>
      stack.query('select status, card from checkout.payment_attempts where payable_id = $1 order by number', [id]),
    charges: ({ id }) => stack.query(`select status from acquirer_sandbox.charges where ${ofIntent}`, [id, ':']),
    resolve: async ({ id }) => {
      const due = `update acquirer_sandbox.charges set settles_at = now() where settles_at > now() and ${ofIntent} returning 1`
      await waitFor(async () => (await stack.query(due, [id, ':'])).length > 0)
      // The body is JSON with the key of the charge.
      const ofCharge = `type = 'charge.settled' and exists (select from checkout.payment_attempts
        where payable_id = $1 and position(payment_intent_id in convert_from(body, 'utf8')) > 0)`
      await stack.query(`update acquirer_sandbox.notifications set next_try_at = now() where ${ofCharge}`, [id])
    },
    stop: async () => {
      await stack.stop()
      await receiver.stop()
      await broker.close()
    },
  }
}

/** Waits until an attempt is recorded. It stays open if its card is slow or the acquirer frozen. */
export const underway = (world: AttemptWorld, payable: TestPayable) =>
  waitFor(async () => (await world.attempts(payable)).length > 0)

/** Waits until the acquirer has recorded the charge. A slow card's answer is still outstanding. */
export const atAcquirer = (world: AttemptWorld, payable: TestPayable) =>
  waitFor(async () => (await world.charges(payable)).length > 0)
