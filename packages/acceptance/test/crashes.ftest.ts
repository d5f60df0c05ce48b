import { payByCard, type StackServiceName } from '@cobro/local-stack'
import { waitFor } from '@cobro/testing'
import { type AcceptanceStack, acceptanceStack } from '../src/acceptance-stack.ts'
import { clientsOf } from '../src/api-client.ts'
import { startReceiver } from '../src/webhook-receiver.ts'

const long = process.env.COBRO_TEST_LONG === '1'

let stack: AcceptanceStack
let receiver: Awaited<ReturnType<typeof startReceiver>>
let clients: Awaited<ReturnType<typeof clientsOf>>
beforeAll(async () => {
  receiver = await startReceiver()
  stack = await acceptanceStack({
    // Slow enough for the kill to hit during the charge.
    'acquirer-sandbox': { SLOW_ANSWER_MS: '2500' },
  })
  clients = await clientsOf(stack.stack)
  await clients.merchant.call('POST', '/api/webhooks', { url: receiver.url, events: ['*'] })
})
afterAll(async () => {
  await stack?.stop()
  await receiver?.stop()
})

const slowCard = '4000000000000341'
const services: StackServiceName[] = ['gateway', 'checkout', 'transactions', 'webhooks-dispatcher', 'audit-log']

/** The events of one approved payment, whatever was killed meanwhile. */
const eventsOfPayment = ['checkout_session.created', 'payment.approved', 'checkout_session.completed']

const moments = [
  ['as the payer presses pay', 30],
  ['while the acquirer charges', 900],
  ['as the outcome comes in', 2_550],
] as const

for (const [index, service] of services.entries()) {
  // The short form kills each service at one moment, and one or two services at each moment.
  for (const [moment, afterMs] of long ? moments : moments.filter((_, place) => place === index % moments.length)) {
    test(`makes one charge and one transaction and delivers all events after kill -9 of ${service} ${moment}`, async () => {
      const session = (
        await clients.merchant.call('POST', '/checkout/v1/sessions', {
          amount_total: 25_000,
          return_url: 'https://shop.mx',
        })
      ).body
      // The payer's own call may be cut off; the session then shows the outcome.
      const paying = payByCard(stack.stack.hosted_url, session.id, slowCard).catch(() => undefined)
      await new Promise(resolve => setTimeout(resolve, afterMs))
      await stack.process(service).kill('SIGKILL')
      // Deliveries in flight at the kill are due again when their leases end.
      if (service === 'webhooks-dispatcher') await stack.query('update webhooks.jobs set due_at = now() where leased')
      await new Promise(resolve => setTimeout(resolve, 200))
      await stack.process(service).start()
      await paying

      await untilPaid(session.id)
      const charges = await stack.query(
        `select t.status from transactions.transactions t join checkout.payment_attempts a
           on a.payment_intent_id = t.payment_intent_id and a.number = t.attempt where a.payable_id = $1`,
        [session.id],
      )
      expect(charges.filter(row => row.status === 'approved')).toHaveLength(1)
      const intent = (
        await stack.query('select payment_intent_id from checkout.checkout_sessions where id = $1', [session.id])
      )[0]
      const taken = await stack.query(
        `select key from acquirer_sandbox.charges where key like $1 and status = 'approved'`,
        [`${intent.payment_intent_id}:%`],
      )
      expect(taken).toHaveLength(1)
      await untilAnnounced(session)
    }, 400_000)
  }
}

/** Waits until the session is completed. Repeats a payment if the gateway died before it began. */
async function untilPaid(id: string): Promise<void> {
  await waitFor(
    async () => {
      const { body } = await clients.merchant.call('GET', `/checkout/v1/sessions/${id}`)
      if (body.status === 'completed') return true
      const attempts = await stack.query(
        `select 1 from checkout.payment_attempts where payable_id = $1 and status in ('running', 'approved')`,
        [id],
      )
      if (attempts.length === 0) void payByCard(stack.stack.hosted_url, id, slowCard).catch(() => undefined)
      return false
    },
    // An attempt whose command was not sent is resolved after its deadline.
    { timeoutMs: 180_000, intervalMs: 500 },
  )
}

async function untilAnnounced(session: { id: string; correlation_id: string }): Promise<void> {
  const received = () =>
    receiver.received
      .filter(
        webhook => webhook.body.data.id === session.id || webhook.body.data.correlation_id === session.correlation_id,
      )
      .map(webhook => webhook.body.event)
  await waitFor(() => eventsOfPayment.every(name => received().includes(name)))
  const logged = async (action: string): Promise<number> => {
    const path = `/api/events?correlation_id=${session.correlation_id}&action=${action}`
    return (await clients.operator.call('GET', path)).body.count
  }
  for (const name of [...eventsOfPayment, 'webhook.delivered']) await waitFor(async () => (await logged(name)) > 0)
  for (const name of eventsOfPayment) expect([name, await logged(name)]).toEqual([name, 1])
}

test('leaves empty outboxes, no running attempt and every call in the log once', async () => {
  for (const schema of ['gateway', 'checkout', 'transactions', 'webhooks']) {
    await waitFor(async () => (await stack.query(`select 1 from ${schema}.outbox`)).length === 0)
  }
  expect(await stack.query(`select 1 from checkout.payment_attempts where status = 'running'`)).toEqual([])
  expect(
    await stack.query(
      `select payment_intent_id from transactions.transactions where status = 'approved' group by 1 having count(*) > 1`,
    ),
  ).toEqual([])
  const ids = [...clients.merchant.requestIds, ...clients.operator.requestIds].slice(0, -1)
  await waitFor(async () => {
    const rows = await stack.query(
      `select request_id, count(*)::int as n from audit.events where action = 'http.request' and request_id = any($1) group by 1`,
      [ids],
    )
    return rows.length === ids.length && rows.every(row => row.n === 1)
  })
})
