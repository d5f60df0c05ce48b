/** A step of a scenario. Its input may name what earlier steps returned, as `${id.field}`. */
export type Step =
  /** Calls a method of the SDK. */
  | { id: string; call: string; with: Record<string, unknown> }
  /** Pays a session or link as its payer: with a card, or in cash. */
  | { pay: string; card: string; fails?: true }
  | { id: string; payInCash: string }
  /** Sends another payment for what is paid already. */
  | { payAgain: string }

/** How an event is made to happen in the sandbox. */
export interface Scenario {
  steps: readonly Step[]
  /** How long the event may take. */
  withinMs: number
}

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: these are filled in when the step is run.
const page = 'https://shop.example/back'
const session = { id: 'session', call: 'checkout.sessions.create', with: { amount_total: 25_000, return_url: page } }
const link = { id: 'link', call: 'paymentLinks.create', with: { amount_cents: 25_000, concepto: 'Test' } }
const payment = (card: string) => ({ pay: '${session.id}', card })
const cancel = { id: 'cancelled', call: 'checkout.sessions.cancel', with: { id: '${session.id}' } }
const read = { id: 'paid', call: 'checkout.sessions.retrieve', with: { id: '${session.id}' } }
const refund = { id: 'refund', call: 'transactions.refund', with: { id: '${paid.transaction_id}' } }
const cash = { ...session, with: { ...session.with, payment_method_types: ['cash'] } }
const voucher = { id: 'voucher', payInCash: '${session.id}' }
const expiring = { ...session, with: { ...session.with, expires_in: 2 } }

const cards = {
  approved: '4242424242424242',
  declined: '4000000000009995',
  failed: '4000000000000119',
  disputed: '4000000000000259',
}
const soon = 15_000
/** The sandbox looks for what has expired once in a while. */
const later = 90_000

/** A scenario for each event that webhooks receive. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  'checkout_session.created': { steps: [session], withinMs: soon },
  'checkout_session.completed': { steps: [session, payment(cards.approved)], withinMs: soon },
  'payment.pending': { steps: [cash, voucher], withinMs: soon },
  'payment.approved': { steps: [session, payment(cards.approved)], withinMs: soon },
  'payment.declined': { steps: [session, { ...payment(cards.declined), fails: true }], withinMs: soon },
  'payment.failed': { steps: [session, { ...payment(cards.failed), fails: true }], withinMs: soon },
  'payment.expired': { steps: [expiring], withinMs: later },
  'payment.cancelled': { steps: [session, cancel], withinMs: soon },
  'payment.duplicate': { steps: [session, payment(cards.approved), { payAgain: '${session.id}' }], withinMs: soon },
  'payment.refunded': { steps: [session, payment(cards.approved), read, refund], withinMs: soon },
  'payment.chargeback': { steps: [session, payment(cards.disputed)], withinMs: later },
  'payment_link.created': { steps: [link], withinMs: soon },
  'payment_link.paid': { steps: [link, { pay: '${link.data.id}', card: cards.approved }], withinMs: soon },
}
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above
