import { z } from 'zod'
import { callerSets } from '../declarations/callers.ts'
import { operation, type Tag } from '../declarations/operation.ts'
import { id } from '../fields/ids.ts'
import { currencyCode, defaultCurrency, sumCents } from '../fields/money.ts'
import { dataOf, named } from '../fields/pagination.ts'
import {
  type ReportRange,
  rangeParameters,
  reportByInterval,
  reportFields,
  resolveRange,
  totalFields,
} from '../fields/report-range.ts'
import { maybeIsoTime } from '../fields/times.ts'
import { paymentMethod } from './checkout-sessions.ts'
import { failureReason, rail } from './transaction-statuses.ts'

const tag: Tag = {
  name: 'Reports',
  description: 'Sums of payments, checkouts and webhooks, by hour, day, week or month. They are exact at any moment.',
}

const counted = (what: string, example = 12) => z.int().meta({ description: what, examples: [example] })
const milliseconds = (what: string) =>
  z
    .number()
    .nullable()
    .meta({ description: what, examples: [84] })

const paymentSums = {
  attempted: counted('How many payments were created.', 15),
  approved: counted('How many payments were captured.'),
  approved_cents: sumCents.describe('The captured amount.'),
  declined: counted('How many payments of those created were declined.', 2),
  failed: counted('How many payments of those created failed for a technical reason.', 1),
  approval_rate: z
    .number()
    .nullable()
    .meta({
      description: 'Of card payments, the captured share of those captured or declined; `null` if there are none.',
      examples: [0.857],
    }),
  fee_cents: sumCents.describe('The fees, with their tax, of the captured payments.'),
  refunded: counted('How many refunds were confirmed.', 1),
  refunded_cents: sumCents.describe('The refunded amount.'),
  chargebacks: counted('How many disputes were opened.', 0),
  chargeback_cents: sumCents.describe('The disputed amount.'),
}

const paymentReport = named(
  'PaymentReport',
  reportByInterval('PaymentReport', {
    row: {
      group: z
        .string()
        .nullable()
        .meta({
          description: 'The value of `group_by` that the entry is for; `null` without it.',
          examples: ['visa'],
        }),
      ...paymentSums,
    },
    totals: paymentSums,
  })
    .extend({ currency: currencyCode })
    .describe(
      'What became of the payments of a period. Every change counts in the hour in which it happened, a returned fee in that of its capture.',
    ),
)

const declineSums = {
  count: counted('How many payments were declined or failed for it.', 2),
  cents: sumCents.describe('Their amount.'),
}

const declineReport = named(
  'DeclineReport',
  z
    .object({
      ...reportFields,
      currency: currencyCode,
      rows: z
        .array(
          named(
            'DeclineReportRow',
            z.object({ reason: failureReason, ...declineSums }).describe('A reason, and how often it was given.'),
          ),
        )
        .describe('The most frequent reason first.'),
      ...totalFields('DeclineReport', declineSums),
    })
    .describe('Why payments were declined.'),
)

const checkoutSums = {
  created: counted('How many sessions and links were created.', 20),
  viewed: counted('How many of them a payer opened.', 18),
  attempted: counted('How many of them a payer tried to pay.', 15),
  completed: counted('How many of them were paid.'),
  expired: counted('How many of them expired unpaid.', 3),
  cancelled: counted('How many of them were cancelled.', 1),
}

const checkoutReport = named(
  'CheckoutReport',
  reportByInterval('CheckoutReport', { row: checkoutSums, totals: checkoutSums }).describe(
    'What became of the sessions and links that were created in a period, as of now.',
  ),
)

const webhookSums = {
  attempts: counted('How many requests were sent.', 40),
  succeeded: counted('How many of them were accepted.', 38),
  failed: counted('How many of them were not.', 2),
  exhausted: counted('How many deliveries were given up.', 0),
  p50_ms: milliseconds('Half of the requests took at most about this long; `null` for none.'),
  p95_ms: milliseconds('95 % of the requests took at most about this long; `null` for none.'),
}

const webhookReport = named(
  'WebhookReport',
  reportByInterval('WebhookReport', { row: webhookSums, totals: webhookSums })
    .extend({
      pending: counted('How many deliveries wait to be sent now; at most 100,000 are counted.', 0),
      oldest_due_at: maybeIsoTime.describe(
        'When the most overdue of them should have been sent; `null` if none is overdue.',
      ),
    })
    .describe('How the requests to webhooks went.'),
)

/** What both reports of payments can be limited to. */
const paymentParameters = {
  currency: currencyCode.default(defaultCurrency),
  payment_method: paymentMethod.optional(),
  rail: rail.optional(),
  card_brand: z
    .string()
    .max(32)
    .optional()
    .meta({ description: 'The brand of the card.', examples: ['visa'] }),
}

const groups = ['payment_method', 'rail', 'card_brand'] as const
const payableKinds = ['session', 'link'] as const

/** What a report of payments is made of. */
export interface PaymentReportQuery extends ReportRange {
  currency: string
  payment_method?: string | undefined
  rail?: string | undefined
  card_brand?: string | undefined
  group_by?: (typeof groups)[number] | undefined
}

const base = { tenant: true, tag, callers: callerSets.merchants, method: 'GET' } as const
const ofPayments = {
  ...base,
  service: 'transactions',
  audit: 'payment',
  area: 'money',
  scopeGroup: 'transactions',
} as const
const { interval, ...rangeWithoutInterval } = rangeParameters

export const reportOperations = {
  payments: operation({
    ...ofPayments,
    id: 'getPaymentReport',
    summary: 'Report payments',
    description:
      'Returns the sums of payments for each interval. Declined and failed payments count when they were created; captures, refunds and disputes when they happened. Deleted transactions are left out.',
    path: '/api/reports/payments',
    query: z
      .strictObject({
        ...rangeParameters,
        ...paymentParameters,
        group_by: named('PaymentGrouping', z.enum(groups, { error: `expected one of ${groups.join(', ')}` }))
          .optional()
          .describe('Return an entry for each value of this field. Intervals without payments are then left out.'),
      })
      .transform((query, context): PaymentReportQuery => resolveRange(query, context)),
    response: dataOf(paymentReport),
  }),
  declines: operation({
    ...ofPayments,
    id: 'getDeclineReport',
    summary: 'Report declines by reason',
    description:
      'Returns how often each reason was given for payments that were created in a period and declined or failed.',
    path: '/api/reports/declines',
    query: z
      .strictObject({ ...rangeWithoutInterval, ...paymentParameters })
      .transform((query, context): PaymentReportQuery => resolveRange({ ...query, interval: 'day' }, context)),
    response: dataOf(declineReport),
  }),
  checkout: operation({
    ...base,
    service: 'checkout',
    audit: 'checkout',
    area: 'payments',
    scopeGroup: 'checkout',
    id: 'getCheckoutReport',
    summary: 'Report sessions and links',
    description:
      'Returns how many sessions and links were created in each interval, and how many of those were opened, tried and paid since.',
    path: '/api/reports/checkout',
    query: z
      .strictObject({
        ...rangeParameters,
        kind: named('PayableKind', z.enum(payableKinds, { error: `expected one of ${payableKinds.join(', ')}` }))
          .optional()
          .describe('Only checkout sessions, or only payment links.'),
      })
      .transform(resolveRange),
    response: dataOf(checkoutReport),
  }),
  webhooks: operation({
    ...base,
    service: 'webhooks-dispatcher',
    audit: 'webhook',
    area: 'webhooks',
    scopeGroup: 'webhooks',
    id: 'getWebhookReport',
    summary: 'Report webhooks',
    description:
      'Returns how the requests to webhooks went in each interval, and how many deliveries wait now. An attempt counts in the hour in which it was sent.',
    path: '/api/reports/webhooks',
    query: z.strictObject({ ...rangeParameters, webhook_id: id('whk').optional() }).transform(resolveRange),
    queryNamesObject: true,
    response: dataOf(webhookReport),
  }),
}
