import { z } from 'zod'
import { id } from '../ids.ts'
import { metadata, refuseUnbounded } from '../metadata.ts'
import { amountCents, currencyCode } from '../money.ts'
import { operation } from '../operation.ts'
import { resource } from '../resource.ts'
import { msTime } from '../times.ts'

export const sessionStatuses = ['pending', 'completed', 'expired', 'cancelled'] as const
export type SessionStatus = (typeof sessionStatuses)[number]

/** How the money of a session stands; the specification writes these with a capital. */
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

/** What may be paid with: a choice of the above, each named once. */
export const chosenMethods = z
  .array(z.enum(paymentMethods))
  .min(1)
  .max(paymentMethods.length)
  .refine(methods => new Set(methods).size === methods.length, { error: 'expected each method once' })

const text = (max: number) => z.string().min(1).max(max)

export const customer = z.strictObject({
  first_name: text(100).nullable().optional(),
  last_name: text(100).nullable().optional(),
  email: z.email({ error: 'expected an e-mail address' }).max(254).nullable().optional(),
})

export const lineItem = z.strictObject({
  name: text(250),
  quantity: z.int().min(1).max(1_000_000),
  unit_price: amountCents,
  product_id: text(100).nullable().optional(),
})

/** How the hosted page looks. Unknown keys are kept for later versions of the page, within the bounds of metadata. */
export const uiConfig = z
  .looseObject({
    locale: z.enum(['es', 'en']).optional(),
    brand_color: z
      .string()
      .regex(/^#[0-9a-fA-F]{6}$/, { error: 'expected a colour as #rrggbb' })
      .optional(),
    logo_url: z
      .url({ protocol: /^https$/, error: 'expected an https URL' })
      .max(2048)
      .refine(isWebAddress, { error: 'expected an https URL without credentials' })
      .optional(),
    hide_line_items: z.boolean().optional(),
  })
  .superRefine(refuseUnbounded)

export const checkoutSession = z.object({
  id: id('cs'),
  url: z.string(),
  status: z.enum(sessionStatuses),
  payment_id: z.int(),
  amount_total: amountCents,
  currency: currencyCode,
  external_id: z.string().nullable(),
  session_type: z.literal('payment'),
  checkout_type: z.literal('hosted'),
  return_url: z.string().nullable(),
  success_url: z.string().nullable(),
  cancel_url: z.string().nullable(),
  metadata: metadata.nullable(),
  payment_method_types: z.array(z.enum(paymentMethods)),
  ui_config: uiConfig.nullable(),
  ui_config_version: z.literal('V1'),
  created_at: msTime,
  modified_at: msTime,
  expires_at: msTime,
  customer: z.object(customer.shape).nullable(),
  line_items: z.array(z.object(lineItem.shape)),
  transaction_status: z.enum(sessionTransactionStatuses),
  transaction_id: z.string().nullable(),
  merchant_id: id('mrc'),
  correlation_id: id('corr'),
})

const maxExpirySeconds = 604_800

const absoluteUrl = z
  .string()
  .max(2048)
  .refine(isWebAddress, { error: 'expected an absolute http or https URL without credentials' })

function isWebAddress(value: string): boolean {
  const url = URL.parse(value)
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username === '' &&
    url.password === '' &&
    /^https?:\/\//i.test(value)
  )
}

/** The inputs of a new session. Which currencies, and whether plain http, are allowed depends on the deployment. */
export const createCheckoutSession = z
  .strictObject({
    amount_total: amountCents.optional(),
    currency: currencyCode.optional(),
    customer: customer.nullable().optional(),
    line_items: z.array(lineItem).max(100).optional(),
    return_url: absoluteUrl.optional(),
    success_url: absoluteUrl.optional(),
    cancel_url: absoluteUrl.optional(),
    external_id: text(100).nullable().optional(),
    metadata: metadata.nullable().optional(),
    payment_method_types: chosenMethods.optional(),
    ui_config: uiConfig.nullable().optional(),
    ui_config_version: z.literal('V1').optional(),
    session_type: z.literal('payment').optional(),
    checkout_type: z.literal('hosted').optional(),
    expires_in: z.int().min(1).max(maxExpirySeconds).optional(),
  })
  .superRefine((session, context) => {
    const fault = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message })
    if (session.return_url === undefined && session.success_url === undefined) {
      fault('return_url', 'required unless success_url is sent')
    }
    if (session.amount_total === undefined && !session.line_items?.length) {
      fault('amount_total', 'required unless line_items are sent')
    }
  })

export type CreateCheckoutSession = z.output<typeof createCheckoutSession>

/** What may be changed of a pending session. */
export const updateCheckoutSession = z.strictObject({
  metadata: metadata.nullable().optional(),
  external_id: text(100).nullable().optional(),
  customer: customer.nullable().optional(),
})

export type UpdateCheckoutSession = z.output<typeof updateCheckoutSession>

/** Checkout sessions as the dashboard works with them. */
export const checkoutSessions = resource({
  kind: 'session',
  plural: 'sessions',
  prefix: 'cs',
  service: 'checkout',
  path: '/api/checkout-sessions',
  row: checkoutSession,
  create: createCheckoutSession,
  update: updateCheckoutSession,
  filters: {
    status: z.enum(sessionStatuses),
    external_id: z.string().max(100),
    currency: currencyCode,
    customer_email: z.string().max(254),
    correlation_id: id('corr'),
  },
  order: ['created_at', 'modified_at', 'status', 'amount_total', 'external_id', 'expires_at'],
  search: ['id', 'external_id', 'customer_email'],
})

const params = z.object({ id: id('cs') })
const base = { service: 'checkout', tenant: true, response: checkoutSession } as const

export const checkoutSessionOperations = {
  create: operation({
    ...base,
    id: 'createCheckoutSession',
    summary: 'Opens a hosted checkout session',
    method: 'POST',
    path: '/checkout/v1/sessions',
    body: createCheckoutSession,
    status: 201,
  }),
  read: operation({
    ...base,
    id: 'getCheckoutSession',
    summary: 'Reads a checkout session',
    method: 'GET',
    path: '/checkout/v1/sessions/:id',
    params,
  }),
  cancel: operation({
    ...base,
    id: 'cancelCheckoutSession',
    summary: 'Cancels a pending session',
    method: 'POST',
    path: '/checkout/v1/sessions/:id/cancel',
    params,
    body: z.strictObject({}).optional(),
  }),
}
