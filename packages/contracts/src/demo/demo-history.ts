import { z } from 'zod'
import { id } from '../fields/ids.ts'
import { amountCents, currencyCode } from '../fields/money.ts'
import { isoTime, maybeIsoTime } from '../fields/times.ts'
import { paymentMethod } from '../resources/checkout-sessions.ts'
import { customer, lineItem } from '../resources/order-fields.ts'
import { failureReason } from '../resources/transaction-statuses.ts'
import { voucher } from '../resources/voucher.ts'

/** An attempt to pay an order that has ended. */
const demoAttempt = z.strictObject({
  transaction_id: id('txn'),
  payment_method: paymentMethod,
  /** No more of a card than Cobro keeps. */
  card: z.strictObject({ brand: z.string(), last4: z.string().regex(/^\d{4}$/) }).nullable(),
  status: z.enum(['approved', 'declined', 'failed', 'expired']),
  decline_reason: failureReason.nullable(),
  risk_score: z.int().min(0).max(100).nullable(),
  acquirer_reference: z.string().nullable(),
  voucher: voucher.nullable(),
  created_at: isoTime,
  ended_at: isoTime,
})

/** A full refund that has ended. */
const demoRefund = z.strictObject({
  id: id('rfd'),
  status: z.enum(['completed', 'failed']),
  failure_reason: z.literal('refused').nullable(),
  acquirer_reference: z.string(),
  requested_at: isoTime,
  ended_at: isoTime,
})

/** A dispute over the whole amount. `resolved_at` is null while it is open. */
const demoDispute = z.strictObject({
  reason: z.string(),
  network_reason_code: z.string(),
  status: z.enum(['open', 'won', 'lost']),
  opened_at: isoTime,
  due_by: isoTime,
  resolved_at: maybeIsoTime,
})

/** A session or payment link, with all that happened to it. */
const demoOrder = z.strictObject({
  payable_id: z.union([id('cs'), id('pl')]),
  correlation_id: id('corr'),
  payment_intent_id: id('pi'),
  status: z.enum(['open', 'paid', 'expired', 'cancelled']),
  amount_cents: amountCents,
  currency: currencyCode,
  /** The number of the order at the shop. */
  reference: z.string(),
  /** What a link is for. */
  concepto: z.string(),
  customer,
  line_items: z.array(lineItem),
  payment_method_types: z.array(paymentMethod),
  created_at: isoTime,
  viewed_at: maybeIsoTime,
  expires_at: isoTime,
  /** When it was paid, expired or was cancelled; null while it is open. */
  ended_at: maybeIsoTime,
  attempts: z.array(demoAttempt),
  refund: demoRefund.nullable(),
  dispute: demoDispute.nullable(),
})

/** What the shop pays for its payments, and when it is paid out. */
const demoTerms = z.strictObject({
  fee_rules: z.array(
    z.strictObject({
      id: id('fee'),
      name: z.string(),
      payment_method: paymentMethod,
      card_brand: z.string().nullable(),
      percent_bps: z.int(),
      fixed_cents: z.int(),
      tax_bps: z.int(),
    }),
  ),
  reserve: z.strictObject({ id: id('rsv'), percent_bps: z.int(), hold_days: z.int() }),
  payouts: z.strictObject({ id: id('stc'), weekday: z.int(), delay_days: z.int() }),
})

/**
 * The past of a demo merchant, which the services' commands `load-demo` read. All of it is before `until`; its ids are the same
 * each time, so that a load can be repeated.
 */
export const demoHistory = z.strictObject({
  merchant: z.strictObject({ id: id('mrc'), name: z.string() }),
  /** Where its hosted pages are. */
  hosted_url: z.url(),
  since: isoTime,
  until: isoTime,
  currency: currencyCode,
  terms: demoTerms,
  orders: z.array(demoOrder),
})

export type DemoAttempt = z.output<typeof demoAttempt>
export type DemoOrder = z.output<typeof demoOrder>
export type DemoTerms = z.output<typeof demoTerms>
export type DemoHistory = z.output<typeof demoHistory>

/** How far a load is, which the commands `load-demo` print, each on a line. */
export interface DemoProgress {
  loaded: number
  total: number
}
