import { z } from 'zod'
import { id } from '../ids.ts'
import { metadata } from '../metadata.ts'
import { amountCents, currencyCode } from '../money.ts'
import { operation } from '../operation.ts'
import { dataOf } from '../pagination.ts'
import { pesos } from '../pesos.ts'
import { resource } from '../resource.ts'
import { isoTime } from '../times.ts'
import { chosenMethods, paymentMethods } from './checkout-sessions.ts'

export const linkStatuses = ['active', 'paid', 'expired', 'cancelled'] as const
export type LinkStatus = (typeof linkStatuses)[number]

const concepto = z.string().min(1).max(250).regex(/\S/, { error: 'expected more than blanks' })
const reference = z.string().min(1).max(64).nullable().optional()
const email = z.email({ error: 'expected an e-mail address' }).max(254)
const maxExpirySeconds = 366 * 86_400

/** A link that one payment can be made by. */
export const paymentLink = z.object({
  id: id('pl'),
  merchant_id: id('mrc'),
  url: z.string(),
  reference: z.string().nullable(),
  concepto: z.string(),
  amount_cents: amountCents,
  currency: currencyCode,
  status: z.enum(linkStatuses),
  transaction_id: z.string().nullable(),
  payment_method_types: z.array(z.enum(paymentMethods)),
  payer_email: z.string().nullable(),
  metadata: metadata.nullable(),
  correlation_id: id('corr'),
  created_at: isoTime,
  updated_at: isoTime,
  expires_at: isoTime,
  paid_at: isoTime.nullable(),
})

/** The inputs of a new link. Which currencies are taken depends on the deployment. */
export const createPaymentLink = z
  .strictObject({
    concepto,
    amount_cents: amountCents.optional(),
    amount: pesos.optional(),
    reference,
    currency: currencyCode.optional(),
    payment_method_types: chosenMethods.optional(),
    expires_at: isoTime.optional(),
    expires_in: z.int().min(1).max(maxExpirySeconds).optional(),
    metadata: metadata.nullable().optional(),
    payer_email: email.nullable().optional(),
  })
  .superRefine((link, context) => {
    const fault = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message })
    if ((link.amount_cents === undefined) === (link.amount === undefined)) {
      fault('amount_cents', 'expected exactly one of amount_cents (cents) and amount (pesos)')
    }
    if (link.expires_at !== undefined && link.expires_in !== undefined) {
      fault('expires_at', 'cannot be combined with expires_in')
    }
  })

export type CreatePaymentLink = z.output<typeof createPaymentLink>

/** What may be changed of an active link. */
export const updatePaymentLink = z.strictObject({
  concepto: concepto.optional(),
  reference,
  amount_cents: amountCents.optional(),
  expires_at: isoTime.optional(),
  metadata: metadata.nullable().optional(),
})

export type UpdatePaymentLink = z.output<typeof updatePaymentLink>

/** Payment links as the dashboard works with them. */
export const paymentLinks = resource({
  kind: 'paymentLink',
  plural: 'paymentLinks',
  prefix: 'pl',
  service: 'checkout',
  path: '/api/payment-links',
  row: paymentLink,
  create: createPaymentLink,
  update: updatePaymentLink,
  filters: {
    status: z.enum(linkStatuses),
    reference: z.string().max(64),
    currency: currencyCode,
    correlation_id: id('corr'),
  },
  order: ['created_at', 'updated_at', 'status', 'amount_cents', 'reference', 'expires_at', 'paid_at'],
  search: ['id', 'concepto', 'reference', 'payer_email'],
})

const params = z.object({ id: id('pl') })
const base = { service: 'checkout', tenant: true, path: '/checkout/v1/links/:id', params } as const

/** Payment links as a merchant's system works with them. */
export const linkOperations = {
  create: operation({
    service: 'checkout',
    tenant: true,
    id: 'createLink',
    summary: 'Creates a payment link',
    method: 'POST',
    path: '/checkout/v1/links',
    body: createPaymentLink,
    status: 201,
    response: dataOf(paymentLink).extend({ url: z.string() }),
  }),
  read: operation({
    ...base,
    id: 'getLink',
    summary: 'Reads a payment link',
    method: 'GET',
    response: dataOf(paymentLink),
  }),
  cancel: operation({
    ...base,
    id: 'cancelLink',
    summary: 'Cancels an active payment link',
    method: 'POST',
    path: '/checkout/v1/links/:id/cancel',
    body: z.strictObject({}).optional(),
    response: dataOf(paymentLink),
  }),
}

/** What anybody who has a link may see of it. */
export const publicLink = paymentLink
  .pick({
    id: true,
    reference: true,
    concepto: true,
    amount_cents: true,
    currency: true,
    status: true,
    payment_method_types: true,
    created_at: true,
    expires_at: true,
    paid_at: true,
  })
  .extend({ merchant_name: z.string() })

export const publicLinkOperations = {
  read: operation({
    service: 'checkout',
    tenant: false,
    id: 'getPublicLink',
    summary: 'Reads a payment link for its payer',
    method: 'GET',
    path: '/api/public/links/:id',
    params,
    response: dataOf(publicLink).extend({ url: z.string() }),
  }),
}
