import type { AwaitStep, Step } from './steps.ts'

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: these are filled in when the step is run.
const page = 'https://shop.example/back'
const session = { id: 'session', call: 'checkout.sessions.create', with: { amount_total: 25_000, return_url: page } }
const link = { id: 'link', call: 'paymentLinks.create', with: { amount_cents: 25_000, concepto: 'Test' } }
const payment = (card: string) => ({ pay: '${session.id}', card })
const cancel = { call: 'checkout.sessions.cancel', with: { id: '${session.id}' } }
const read = { id: 'paid', call: 'checkout.sessions.retrieve', with: { id: '${session.id}' } }
const refund = { call: 'transactions.refund', with: { id: '${paid.transaction_id}' } }
const cash = { ...session, with: { ...session.with, payment_method_types: ['cash'] } }
const voucher = { id: 'voucher', payInCash: '${session.id}' }
const expiring = { ...session, with: { ...session.with, expires_in: 2 } }

const cards = {
  approved: '4242424242424242',
  declined: '4000000000009995',
  failed: '4000000000000119',
  disputed: '4000000000000259',
}
const soon = '15s'
/** The sandbox looks for what has expired once in a while. */
const later = '90s'

const awaited = (name: string, lifecycle: string, within: string): AwaitStep => ({
  ...{ id: 'event', await: name, where: { 'data.correlation_id': lifecycle }, within },
})
const ofSession = (name: string, steps: readonly Step[], within = soon): Record<string, readonly Step[]> => ({
  [name]: [...steps, awaited(name, '${session.correlation_id}', within)],
})
const ofLink = (name: string, steps: readonly Step[]): Record<string, readonly Step[]> => ({
  [name]: [...steps, awaited(name, '${link.data.correlation_id}', soon)],
})

/** A scenario for each event of the feed. It ends with the event. */
export const scenarios: Readonly<Record<string, readonly Step[]>> = {
  ...ofSession('checkout_session.created', [session]),
  ...ofSession('checkout_session.completed', [session, payment(cards.approved)]),
  ...ofSession('payment.pending', [cash, voucher]),
  ...ofSession('payment.approved', [session, payment(cards.approved)]),
  ...ofSession('payment.declined', [
    session,
    { ...payment(cards.declined), expect: { declined: 'insufficient_funds' } },
  ]),
  ...ofSession('payment.failed', [session, { ...payment(cards.failed), expect: { declined: 'processing_error' } }]),
  ...ofSession('payment.expired', [expiring], later),
  ...ofSession('payment.cancelled', [session, cancel]),
  ...ofSession('payment.duplicate', [session, payment(cards.approved), { payAgain: '${session.id}' }]),
  ...ofSession('payment.refunded', [session, payment(cards.approved), read, refund]),
  ...ofSession('payment.chargeback', [session, payment(cards.disputed)], later),
  ...ofLink('payment_link.created', [link]),
  ...ofLink('payment_link.paid', [link, { pay: '${link.data.id}', card: cards.approved }]),
}

/** The test of a webhook is not in the feed: it is sent to an endpoint, and its delivery shows the result. */
export const testScenario: readonly Step[] = [
  { id: 'endpoints', call: 'webhookEndpoints.list', with: { status: 'active', limit: 1 } },
  { id: 'test', call: 'webhookEndpoints.sendTest', with: { id: '${endpoints.data.0.id}' } },
  {
    id: 'delivery',
    call: 'webhookDeliveries.retrieve',
    with: { id: '${test.id}' },
    until: { status: ['succeeded', 'failed', 'exhausted', 'cancelled'] },
    within: soon,
  },
]
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above
