import { z } from 'zod'
import { callerSets } from '../declarations/callers.ts'
import { operation, type Tag } from '../declarations/operation.ts'
import { resource } from '../declarations/resource.ts'
import { id, storedId } from '../fields/ids.ts'
import { metadata } from '../fields/metadata.ts'
import { amountCents, currencyCode } from '../fields/money.ts'
import { dataOf, named } from '../fields/pagination.ts'
import { pesos } from '../fields/pesos.ts'
import { isoTime, maybeIsoTime, timestamps } from '../fields/times.ts'
import { chosenMethods, paymentMethod, reachedStep } from './checkout-sessions.ts'
import { emptyBody } from './empty-body.ts'

export const linkStatuses = ['active', 'paid', 'expired', 'cancelled'] as const
export type LinkStatus = (typeof linkStatuses)[number]

const tag: Tag = { name: 'Payment links', description: 'A payment behind an address that is sent to the payer.' }

const linkStatus = named('PaymentLinkStatus', z.enum(linkStatuses).describe('The state of a link.'))
const conceptoText = { description: 'What the payment is for.', examples: ['Curso de barismo'] }
const referenceText = { description: "The merchant's own reference.", examples: ['A-1042'] }
const emailText = { description: "The payer's e-mail address.", examples: ['ana@example.com'] }
const metadataText = "The merchant's own data; `null` for none."
const expiresAt = isoTime.meta({ description: 'When it expires.', examples: ['2036-11-21T18:04:05.123Z'] })
const linkUrl = z
  .string()
  .meta({ description: 'The address to send to the payer.', examples: ['https://pay.example/links/pl_…'] })

const concepto = z.string().min(1).max(250).regex(/\S/, { error: 'expected more than blanks' }).meta(conceptoText)
const reference = z.string().min(1).max(64).nullable().optional().meta(referenceText)
const email = z.email({ error: 'expected an e-mail address' }).max(254)
const maxExpirySeconds = 366 * 86_400

/** A link through which one payment can be made. */
export const paymentLink = named(
  'PaymentLink',
  z
    .object({
      id: id('pl'),
      merchant_id: id('mrc'),
      url: linkUrl,
      reference: z.string().nullable().meta(referenceText),
      concepto: z.string().meta(conceptoText),
      amount_cents: amountCents.describe('What is to be paid.'),
      currency: currencyCode,
      status: linkStatus,
      transaction_id: storedId<'txn'>().nullable().meta({ description: 'The transaction that paid it.' }),
      payment_method_types: z.array(paymentMethod).describe('The payment methods that are accepted.'),
      payer_email: z.string().nullable().meta(emailText),
      metadata: metadata.nullable().describe(metadataText),
      correlation_id: id('corr'),
      ...timestamps,
      expires_at: expiresAt,
      paid_at: maybeIsoTime.describe('When it was paid; `null` until then.'),
    })
    .describe('A link through which one payment can be made.'),
)

/** The input of a new link. Which currencies are accepted depends on the deployment. */
export const createPaymentLink = named(
  'CreatePaymentLink',
  z
    .strictObject({
      concepto,
      amount_cents: amountCents.optional().describe('What is to be paid. Send either this or `amount`.'),
      amount: pesos.optional().describe('What is to be paid, in pesos. Send either this or `amount_cents`.'),
      reference,
      currency: currencyCode.optional(),
      payment_method_types: chosenMethods.optional(),
      expires_at: expiresAt.optional(),
      expires_in: z
        .int()
        .min(1)
        .max(maxExpirySeconds)
        .optional()
        .meta({ description: 'Seconds until it expires, instead of `expires_at`.', examples: [86_400] }),
      metadata: metadata.nullable().optional().describe(metadataText),
      payer_email: email.nullable().optional().meta(emailText),
    })
    .superRefine((link, context) => {
      const reject = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message })
      if ((link.amount_cents === undefined) === (link.amount === undefined)) {
        reject('amount_cents', 'expected exactly one of amount_cents (cents) and amount (pesos)')
      }
      if (link.expires_at !== undefined && link.expires_in !== undefined) {
        reject('expires_at', 'cannot be combined with expires_in')
      }
    })
    .meta({
      description: 'The input of a new payment link.',
      examples: [{ amount: '250.00', concepto: 'Curso de barismo', reference: 'A-1042' }],
    }),
)

export type CreatePaymentLink = z.output<typeof createPaymentLink>

/** The fields of an active link that may be changed. */
export const updatePaymentLink = named(
  'UpdatePaymentLink',
  z.strictObject({
    concepto: concepto.optional(),
    reference,
    amount_cents: amountCents.optional().describe('What is to be paid.'),
    expires_at: expiresAt.optional(),
    metadata: metadata.nullable().optional().describe(metadataText),
  }),
)

export type UpdatePaymentLink = z.output<typeof updatePaymentLink>

const cancelEvents = ['payment_link.cancelled', 'payment.cancelled']
const cancelDescription =
  'Cancels an active payment link: it can no longer be paid. A link with a payment in progress, or in a final state, is a conflict.'

/** Payment links in the dashboard's API. */
export const paymentLinks = resource({
  type: 'PaymentLink',
  labels: { one: 'payment link', many: 'payment links' },
  idWord: 'Merchant',
  prefix: 'pl',
  service: 'checkout',
  path: '/api/payment-links',
  tag,
  audit: 'payment',
  area: 'payments',
  scopeGroup: 'checkout',
  callers: { read: callerSets.merchants, write: callerSets.merchants },
  emits: { create: ['payment_link.created'], update: ['payment_link.updated'], delete: cancelEvents },
  notes: {
    create: 'The payer pays it at its `url` until it expires.',
    update: 'Only an active link can be changed; while a voucher for cash is open, its amount and expiry cannot.',
    delete: `${cancelDescription} The link stays readable as \`cancelled\`.`,
  },
  row: paymentLink,
  create: createPaymentLink,
  update: updatePaymentLink,
  filters: {
    status: linkStatus,
    reached: reachedStep,
    reference: z.string().max(64).meta(referenceText),
    currency: currencyCode,
    correlation_id: id('corr'),
  },
  order: ['created_at', 'updated_at', 'status', 'amount_cents', 'reference', 'expires_at', 'paid_at'],
  search: ['id', 'concepto', 'reference', 'payer_email'],
})

const params = z.object({ id: id('pl') })
const base = {
  service: 'checkout',
  tenant: true,
  tag,
  audit: 'payment',
  callers: callerSets.keys,
  scopeGroup: 'checkout',
} as const
const one = { ...base, path: '/checkout/v1/links/:id', params, target: 'id', response: dataOf(paymentLink) } as const

/** Payment links in the API for a merchant's systems. */
export const linkOperations = {
  create: operation({
    ...base,
    id: 'createPaymentLink',
    summary: 'Create a payment link',
    description: 'Creates a payment link. Send its `url` to the payer, who pays it until it expires.',
    method: 'POST',
    path: '/checkout/v1/links',
    body: createPaymentLink,
    status: 201,
    emits: ['payment_link.created'],
    response: named('NewPaymentLinkResponse', z.object({ data: paymentLink, url: linkUrl })),
  }),
  read: operation({
    ...one,
    id: 'getPaymentLink',
    summary: 'Get a payment link',
    description: 'Returns one payment link of the merchant.',
    method: 'GET',
  }),
  cancel: operation({
    ...one,
    id: 'cancelPaymentLink',
    summary: 'Cancel a payment link',
    description: cancelDescription,
    method: 'POST',
    path: '/checkout/v1/links/:id/cancel',
    body: emptyBody,
    emits: cancelEvents,
  }),
}

/** The part of a link that anyone who has its address may see. */
export const publicLink = named(
  'PublicPaymentLink',
  paymentLink
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
    .extend({
      merchant_name: z.string().meta({ description: "The merchant's name.", examples: ['Café Azul'] }),
    })
    .describe('What a payer sees of a payment link.'),
)

export const publicLinkOperations = {
  read: operation({
    service: 'checkout',
    tenant: false,
    tag,
    audit: 'payment',
    callers: callerSets.anyone,
    id: 'getPublicLink',
    summary: 'Get a payment link as its payer',
    description: 'Returns what a payer may see of a payment link. It needs no credential: the id cannot be guessed.',
    method: 'GET',
    path: '/api/public/links/:id',
    params,
    target: 'id',
    response: named('PublicPaymentLinkResponse', z.object({ data: publicLink, url: linkUrl })),
  }),
}
