import { z } from 'zod'
import { callerSets } from '../declarations/callers.ts'
import { operation, type Tag } from '../declarations/operation.ts'
import { resource } from '../declarations/resource.ts'
import { id, storedId } from '../fields/ids.ts'
import { metadata } from '../fields/metadata.ts'
import { amountCents, currencyCode } from '../fields/money.ts'
import { named } from '../fields/pagination.ts'
import { msTime } from '../fields/times.ts'
import { emptyBody } from './empty-body.ts'
import { customer, isWebAddress, lineItem, shownCustomer, shownLineItem, uiConfig } from './order-fields.ts'

export const sessionStatuses = ['pending', 'completed', 'expired', 'cancelled'] as const
export type SessionStatus = (typeof sessionStatuses)[number]

/** The state of a session's payment. The API specification capitalizes these. */
export const sessionTransactionStatuses = [
  'Pending',
  'Approved',
  'Declined',
  'Failed',
  'Expired',
  'Cancelled',
  'Refunded',
] as const

export const paymentMethods = ['card', 'cash'] as const

export const sessionStatus = named('CheckoutSessionStatus', z.enum(sessionStatuses).describe('The state of a session.'))
export const sessionTransactionStatus = named(
  'SessionTransactionStatus',
  z.enum(sessionTransactionStatuses).describe("The state of a session's payment."),
)
/** How far payers have come, as the report on sessions and links counts it. */
export const payableSteps = ['viewed', 'attempted', 'completed'] as const
export const reachedStep = named(
  'ReachedStep',
  z
    .enum(payableSteps)
    .describe('Only what a payer has opened, tried to pay or paid: who paid has tried, and who tried has opened.'),
)
export const paymentMethod = named('PaymentMethod', z.enum(paymentMethods).describe('A payment method.'))

/** The payment methods that a session or link accepts, each once. */
export const chosenMethods = z
  .array(paymentMethod)
  .min(1)
  .max(paymentMethods.length)
  .refine(methods => new Set(methods).size === methods.length, { error: 'expected each method once' })
  .meta({ description: 'The payment methods that are accepted.', examples: [['card', 'cash']] })

const text = (max: number) => z.string().min(1).max(max)

const tag: Tag = {
  name: 'Hosted checkout',
  description: "A merchant's system opens a session and sends the payer to its `url`.",
}

const fields = {
  external_id: { description: "The merchant's own id of the order.", examples: ['order-1042'] },
  return_url: { description: 'Where the payer goes in every other case.', examples: ['https://shop.example/back'] },
  success_url: { description: 'Where the payer goes after paying.', examples: ['https://shop.example/thanks'] },
  cancel_url: { description: 'Where the payer goes after giving up.', examples: ['https://shop.example/cart'] },
  session_type: 'Always `payment`.',
  checkout_type: 'Always `hosted`.',
  ui_config: 'The look of the hosted page; `null` for the default.',
  ui_config_version: 'The version of `ui_config`.',
  customer: 'The payer; `null` if unknown.',
  metadata: "The merchant's own data; `null` for none.",
}

export const checkoutSession = named(
  'CheckoutSession',
  z
    .object({
      id: id('cs'),
      url: z.string().meta({
        description: 'The hosted page to send the payer to.',
        examples: ['https://pay.example/checkout/cs_…'],
      }),
      status: sessionStatus,
      payment_id: z.int().meta({ description: 'A number for people to refer to.', format: 'int64', examples: [1042] }),
      amount_total: amountCents.describe('What is to be paid.'),
      currency: currencyCode,
      external_id: z.string().nullable().meta(fields.external_id),
      session_type: z.literal('payment').describe(fields.session_type),
      checkout_type: z.literal('hosted').describe(fields.checkout_type),
      return_url: z.string().nullable().meta(fields.return_url),
      success_url: z.string().nullable().meta(fields.success_url),
      cancel_url: z.string().nullable().meta(fields.cancel_url),
      metadata: metadata.nullable().describe(fields.metadata),
      payment_method_types: z.array(paymentMethod).describe('The payment methods that are accepted.'),
      ui_config: uiConfig.nullable().describe(fields.ui_config),
      ui_config_version: z.literal('V1').describe(fields.ui_config_version),
      created_at: msTime.describe('When it was created, in milliseconds since the epoch.'),
      modified_at: msTime.describe('When it was last changed, in milliseconds since the epoch.'),
      expires_at: msTime.describe('When it expires, in milliseconds since the epoch.'),
      customer: shownCustomer.nullable().describe(fields.customer),
      line_items: z.array(shownLineItem).describe('The positions of the order.'),
      transaction_status: sessionTransactionStatus,
      transaction_id: storedId<'txn'>().nullable().meta({ description: 'The transaction that paid it.' }),
      merchant_id: id('mrc'),
      correlation_id: id('corr'),
    })
    .describe('A hosted checkout session.'),
)

const maxExpirySeconds = 604_800

const absoluteUrl = z
  .string()
  .max(2048)
  .refine(isWebAddress, { error: 'expected an absolute http or https URL without credentials' })

/** The input of a new session. The deployment decides on allowed currencies and plain http. */
export const createCheckoutSession = named(
  'CreateCheckoutSession',
  z
    .strictObject({
      amount_total: amountCents.optional().describe('What is to be paid. May be left out with `line_items`.'),
      currency: currencyCode.optional(),
      customer: customer.nullable().optional().describe(fields.customer),
      line_items: z.array(lineItem).max(100).optional().describe('The positions of the order.'),
      return_url: absoluteUrl.optional().meta(fields.return_url),
      success_url: absoluteUrl.optional().meta(fields.success_url),
      cancel_url: absoluteUrl.optional().meta(fields.cancel_url),
      external_id: text(100).nullable().optional().meta(fields.external_id),
      metadata: metadata.nullable().optional().describe(fields.metadata),
      payment_method_types: chosenMethods.optional(),
      ui_config: uiConfig.nullable().optional().describe(fields.ui_config),
      ui_config_version: z.literal('V1').optional().describe(fields.ui_config_version),
      session_type: z.literal('payment').optional().describe(fields.session_type),
      checkout_type: z.literal('hosted').optional().describe(fields.checkout_type),
      expires_in: z
        .int()
        .min(1)
        .max(maxExpirySeconds)
        .optional()
        .meta({ description: 'Seconds until it expires.', examples: [3600] }),
    })
    .superRefine((session, context) => {
      const reject = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message })
      if (session.return_url === undefined && session.success_url === undefined) {
        reject('return_url', 'required unless success_url is sent')
      }
      if (session.amount_total === undefined && !session.line_items?.length) {
        reject('amount_total', 'required unless line_items are sent')
      }
    })
    .describe('The input of a new checkout session.'),
)

export type CreateCheckoutSession = z.output<typeof createCheckoutSession>

/** The fields of a pending session that may be changed. */
export const updateCheckoutSession = named(
  'UpdateCheckoutSession',
  z.strictObject({
    metadata: metadata.nullable().optional().describe(fields.metadata),
    external_id: text(100).nullable().optional().meta(fields.external_id),
    customer: customer.nullable().optional().describe(fields.customer),
  }),
)

export type UpdateCheckoutSession = z.output<typeof updateCheckoutSession>

const cancelEvents = ['checkout_session.cancelled', 'payment.cancelled', 'checkout_session.completed']
const cancelDescription =
  'Cancels a pending session: it can no longer be paid. A session with a payment in progress, or in a final state, is a conflict.'

/** Checkout sessions in the dashboard's API. */
export const checkoutSessions = resource({
  type: 'CheckoutSession',
  labels: { one: 'checkout session', many: 'checkout sessions' },
  idWord: 'Merchant',
  prefix: 'cs',
  service: 'checkout',
  path: '/api/checkout-sessions',
  tag,
  audit: 'checkout',
  area: 'payments',
  scopeGroup: 'checkout',
  callers: { read: callerSets.merchants, write: callerSets.merchants },
  emits: {
    create: ['checkout_session.created'],
    update: ['checkout_session.updated'],
    delete: cancelEvents,
  },
  notes: {
    create: 'The payer pays it at its `url` until it expires.',
    update: 'Only a pending session can be changed.',
    delete: `${cancelDescription} The session stays readable as \`cancelled\`.`,
  },
  row: checkoutSession,
  create: createCheckoutSession,
  update: updateCheckoutSession,
  filters: {
    status: sessionStatus,
    reached: reachedStep,
    external_id: z.string().max(100).describe("The merchant's own id of the order."),
    currency: currencyCode,
    customer_email: z.string().max(254).describe("The payer's e-mail address."),
    correlation_id: id('corr'),
  },
  order: ['created_at', 'modified_at', 'status', 'amount_total', 'external_id', 'expires_at'],
  search: ['id', 'external_id', 'customer_email'],
})

const base = {
  service: 'checkout',
  tenant: true,
  tag,
  audit: 'checkout',
  callers: callerSets.keys,
  scopeGroup: 'checkout',
  response: checkoutSession,
} as const
const one = { ...base, path: '/checkout/v1/sessions/:id', params: z.object({ id: id('cs') }), target: 'id' } as const

/** Checkout sessions in the API for a merchant's systems. */
export const checkoutSessionOperations = {
  create: operation({
    ...base,
    id: 'createCheckoutSession',
    summary: 'Create a checkout session',
    description:
      'Opens a hosted checkout session. Send the payer to its `url`; the session is pending until it is paid, cancelled or expires.',
    method: 'POST',
    path: '/checkout/v1/sessions',
    body: createCheckoutSession,
    status: 201,
    emits: ['checkout_session.created'],
  }),
  read: operation({
    ...one,
    id: 'getCheckoutSession',
    summary: 'Get a checkout session',
    description: 'Returns one checkout session of the merchant.',
    method: 'GET',
  }),
  cancel: operation({
    ...one,
    id: 'cancelCheckoutSession',
    summary: 'Cancel a checkout session',
    description: cancelDescription,
    method: 'POST',
    path: '/checkout/v1/sessions/:id/cancel',
    body: emptyBody,
    emits: cancelEvents,
  }),
}
