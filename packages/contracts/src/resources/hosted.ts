import { z } from 'zod'
import { callerSets, merchantStatuses } from '../declarations/callers.ts'
import { operation, type Tag } from '../declarations/operation.ts'
import { id, storedId } from '../fields/ids.ts'
import { amountCents, currencyCode, sumCents } from '../fields/money.ts'
import { dataOf, named } from '../fields/pagination.ts'
import { msTime } from '../fields/times.ts'
import { paymentMethod, sessionStatus, sessionTransactionStatus } from './checkout-sessions.ts'
import { emptyBody } from './empty-body.ts'
import { pageLanguage, shownLineItem } from './order-fields.ts'
import { voucher } from './voucher.ts'

export const environments = ['sandbox', 'production'] as const

const tag: Tag = {
  name: 'Hosted page',
  description: "The payer's page calls these. They need no credential: the id cannot be guessed.",
}

const cardEncryptionKey = named(
  'CardEncryptionKey',
  z.record(z.string(), z.unknown()).meta({
    description: 'A public key to encrypt cards with, as JWK.',
    examples: [{ kty: 'RSA', alg: 'RSA-OAEP-256', kid: 'k1' }],
  }),
)

/**
 * A session or link as the payer's page shows it, and the key to encrypt the card with.
 * The page has one vocabulary for both: a link that is `active` or `paid` is `pending` or `completed` here.
 */
export const hostedPayable = named(
  'HostedPayable',
  z
    .object({
      kind: z.enum(['session', 'link']).describe('What is paid: a checkout session or a payment link.'),
      id: storedId<'cs' | 'pl'>().meta({ description: 'The id of the session or link.' }),
      status: sessionStatus,
      transaction_status: sessionTransactionStatus,
      amount_total: amountCents.describe('What is to be paid.'),
      currency: currencyCode,
      merchant_name: z.string().meta({ description: "The merchant's name.", examples: ['Café Azul'] }),
      merchant_status: z
        .enum(merchantStatuses)
        .describe('A disabled merchant takes no payments until it is enabled again.'),
      concepto: z
        .string()
        .nullable()
        .meta({ description: "What a link is for, in the merchant's words.", examples: ['Curso de barismo'] }),
      reference: z
        .string()
        .nullable()
        .meta({ description: "The merchant's own reference.", examples: ['A-1042'] }),
      line_items: z.array(shownLineItem).describe('The positions of the order; none once it can no longer be paid.'),
      adjustment_cents: sumCents.meta({
        description: 'The difference between the total and the line items.',
        examples: [0],
      }),
      hide_line_items: z.boolean().describe('Whether the page leaves out the line items.'),
      locale: pageLanguage.nullable().describe("The page's language; `null` for the browser's."),
      brand_color: z
        .string()
        .nullable()
        .meta({ description: 'The color of buttons.', examples: ['#0b5fff'] }),
      logo_url: z
        .string()
        .nullable()
        .meta({ description: 'The logo.', examples: ['https://shop.example/logo.png'] }),
      payer_email: z
        .string()
        .nullable()
        .meta({
          description: "The payer's e-mail; `null` once it can no longer be paid.",
          examples: ['ana@example.com'],
        }),
      payment_method_types: z.array(paymentMethod).describe('The payment methods that are accepted.'),
      expires_at: msTime.describe('When it expires, in milliseconds since the epoch.'),
      now: msTime.describe("The server's time, in milliseconds since the epoch."),
      attempts_left: z.int().meta({ description: 'How often a card may still be declined.', examples: [10] }),
      retry_at: msTime
        .nullable()
        .describe('When a link that was declined too often accepts payments again; `null` where it does now.'),
      in_progress: z.boolean().describe('Whether a payment is running.'),
      voucher: voucher
        .nullable()
        .describe('The open voucher. Until it is paid, due or withdrawn, no card is accepted.'),
      had_voucher: z
        .boolean()
        .describe('Whether a voucher was ever issued. In a final state: the payer may have one that must not be paid.'),
      redirect_url: z
        .string()
        .nullable()
        .meta({ description: 'Where to send the payer now.', examples: ['https://shop.example/thanks'] }),
      cancel_url: z
        .string()
        .nullable()
        .meta({ description: 'Where the payer goes after giving up.', examples: ['https://shop.example/cart'] }),
      environment: z.enum(environments).describe('In the sandbox no money moves.'),
      card_encryption_key: cardEncryptionKey
        .nullable()
        .describe('The public key to encrypt the card with; `null` where no card is accepted.'),
    })
    .describe("A session or link as the payer's page shows it."),
)

export type HostedPayable = z.input<typeof hostedPayable>

const anyPayment = {
  payer_email: z
    .email({ error: 'expected an e-mail address' })
    .max(254)
    .nullable()
    .optional()
    .meta({ description: "The payer's e-mail address.", examples: ['ana@example.com'] }),
  amount_cents: amountCents
    .optional()
    .describe('The amount that the payer saw. If it has changed, the payment is a conflict.'),
}

/** A payment from the hosted page. It has no field for a card in the clear, so one is rejected. */
export const payment = named(
  'Payment',
  z
    .discriminatedUnion('method', [
      named(
        'CardPayment',
        z
          .strictObject({
            method: z.literal('card').describe('Pay by card.'),
            card_jwe: z
              .string()
              .min(1)
              .max(8192)
              .meta({
                description: 'The card, encrypted to `card_encryption_key` as a compact JWE.',
                examples: ['eyJhbGciOiJSU0EtT0FFUC0yNTYi…'],
              }),
            ...anyPayment,
          })
          .describe('A payment by card.'),
      ),
      named(
        'CashPayment',
        z
          .strictObject({ method: z.literal('cash').describe('Pay in cash, by voucher.'), ...anyPayment })
          .describe('A payment in cash.'),
      ),
    ])
    .describe('A payment from the hosted page.'),
)

/** The outcome of a payment that was accepted. A decline is a 402, a technical failure a 502. */
export const paymentAnswer = named(
  'PaymentOutcome',
  z
    .object({
      status: z.enum(['approved', 'pending']).describe('`pending` without a voucher: the payment is still running.'),
      redirect_url: z
        .string()
        .optional()
        .meta({ description: 'Where to send the payer.', examples: ['https://shop.example/thanks'] }),
      voucher: voucher.optional().describe('The voucher to pay in cash.'),
    })
    .meta({
      description: 'The outcome of a payment.',
      examples: [{ status: 'approved', redirect_url: 'https://shop.example/thanks' }],
    }),
)

const params = z.object({ id: id('cs') })
const linkParams = z.object({ id: id('pl') })
// The page also loads for a malformed id: it then shows "not found" in the payer's language.
const pageParams = z.object({ id: z.string().max(64) })
// Mail clients and chat apps append query parameters of their own to addresses.
const anyQuery = z.looseObject({})
const hosted = { service: 'checkout', tenant: false, tag, audit: 'checkout', callers: callerSets.anyone } as const
const ofLink = { tag, audit: 'payment', params: linkParams, target: 'id' } as const
const page = { ...hosted, method: 'GET', query: anyQuery, response: 'page' } as const
const read = { ...hosted, method: 'GET', response: dataOf(hostedPayable) } as const
const stream = { ...hosted, method: 'GET', response: 'events' } as const
const pay = {
  ...hosted,
  method: 'POST',
  audit: 'payment',
  body: payment,
  bodyKib: 16,
  idempotency: { lease: 'with_first_write' },
  charges: true,
  laterStatus: 202,
  emits: [
    'payment.attempted',
    'payment.approved',
    'payment.pending',
    'payment.declined',
    'payment.failed',
    'payment.blocked',
  ],
  response: paymentAnswer,
} as const
const payDescription =
  'A card is charged at once: 200 when it is approved, 402 when it is declined, 502 when it fails for a technical reason, and 202 while the outcome is not known. Cash returns a voucher with 202. 429 with `Retry-After` means that too many payments were tried or declined.'

/** The API of the payer's page. */
export const hostedOperations = {
  page: operation({
    ...page,
    id: 'showCheckoutPage',
    summary: 'Show the hosted checkout page',
    path: '/checkout/:id',
    params: pageParams,
    target: 'id',
  }),
  linkPage: operation({
    ...page,
    ...ofLink,
    id: 'showLinkPage',
    summary: 'Show the hosted page of a payment link',
    path: '/links/:id',
    params: pageParams,
  }),
  asset: operation({
    ...hosted,
    id: 'getHostedAsset',
    summary: 'Get a file of the hosted page',
    method: 'GET',
    path: '/hosted/assets/:file',
    params: z.object({ file: z.string().regex(/^[\w.-]{1,100}$/) }),
    response: 'page',
  }),
  read: operation({
    ...read,
    id: 'getHostedSession',
    summary: "Get a session for the payer's page",
    description: "Returns a checkout session as the payer's page shows it, with the key to encrypt a card with.",
    path: '/hosted/v1/checkout/:id',
    params,
    target: 'id',
    emits: ['checkout_session.viewed'],
  }),
  readLink: operation({
    ...read,
    ...ofLink,
    id: 'getHostedLink',
    summary: "Get a payment link for the payer's page",
    description: "Returns a payment link as the payer's page shows it, with the key to encrypt a card with.",
    path: '/hosted/v1/links/:id',
    emits: ['payment_link.viewed'],
  }),
  stream: operation({
    ...stream,
    id: 'streamHostedSession',
    summary: 'Stream the changes of a session',
    description: 'Sends a checkout session as server-sent events: now, and after each change until a final state.',
    path: '/hosted/v1/checkout/:id/stream',
    params,
    target: 'id',
  }),
  streamLink: operation({
    ...stream,
    ...ofLink,
    id: 'streamHostedLink',
    summary: 'Stream the changes of a payment link',
    description: 'Sends a payment link as server-sent events: now, and after each change until a final state.',
    path: '/hosted/v1/links/:id/stream',
  }),
  pay: operation({
    ...pay,
    id: 'payHostedSession',
    summary: 'Pay a session',
    description: `Pays a checkout session. ${payDescription}`,
    path: '/hosted/v1/checkout/:id/payments',
    params,
    target: 'id',
  }),
  payLink: operation({
    ...pay,
    ...ofLink,
    id: 'payHostedLink',
    summary: 'Pay a payment link',
    description: `Pays a payment link. ${payDescription}`,
    path: '/hosted/v1/links/:id/payments',
  }),
  cancel: operation({
    ...hosted,
    id: 'cancelHostedSession',
    summary: 'Cancel a session as its payer',
    description: 'Cancels a pending session because the payer gives up. The response says where to send the payer.',
    method: 'POST',
    path: '/hosted/v1/checkout/:id/cancel',
    params,
    target: 'id',
    body: emptyBody,
    emits: ['checkout_session.cancelled', 'payment.cancelled', 'checkout_session.completed'],
    response: dataOf(hostedPayable),
  }),
}
