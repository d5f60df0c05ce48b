import { z } from 'zod'
import { id } from '../ids.ts'
import { amountCents, currencyCode, sumCents } from '../money.ts'
import { operation } from '../operation.ts'
import { dataOf } from '../pagination.ts'
import { isoTime, msTime } from '../times.ts'
import { lineItem, paymentMethods, sessionStatuses, sessionTransactionStatuses } from './checkout-sessions.ts'

/** What is paid in cash with: the payer says the reference at the counter, or has the barcode scanned (Code 128). */
export const voucher = z.object({ reference: z.string(), barcode: z.string(), due_at: isoTime })

/**
 * What the payer's page shows of a session or link, and the key that it encrypts the card to. The page has one vocabulary for
 * both: a link that is `active` or `paid` is `pending` or `completed` here.
 */
export const hostedPayable = z.object({
  kind: z.enum(['session', 'link']),
  id: z.string(),
  status: z.enum(sessionStatuses),
  transaction_status: z.enum(sessionTransactionStatuses),
  amount_total: amountCents,
  currency: currencyCode,
  merchant_name: z.string(),
  /** Nobody pays a disabled merchant; what it asked for goes on once it is enabled again. */
  merchant_status: z.enum(['active', 'disabled']),
  /** What a link is for, in the merchant's words. */
  concepto: z.string().nullable(),
  reference: z.string().nullable(),
  line_items: z.array(z.object(lineItem.shape)),
  adjustment_cents: sumCents,
  hide_line_items: z.boolean(),
  locale: z.enum(['es', 'en']).nullable(),
  brand_color: z.string().nullable(),
  logo_url: z.string().nullable(),
  payer_email: z.string().nullable(),
  payment_method_types: z.array(z.enum(paymentMethods)),
  expires_at: msTime,
  now: msTime,
  attempts_left: z.int(),
  /** From when on a link that was declined too often takes payments again. */
  retry_at: msTime.nullable(),
  in_progress: z.boolean(),
  /** The one that is out. Until it is paid, falls due or is withdrawn, no card is taken. */
  voucher: voucher.nullable(),
  /** Whether one was ever issued. Of what has ended it tells that there may be a slip which nobody should pay any more. */
  had_voucher: z.boolean(),
  redirect_url: z.string().nullable(),
  cancel_url: z.string().nullable(),
  environment: z.enum(['sandbox', 'production']),
  card_encryption_key: z.record(z.string(), z.unknown()).nullable(),
})

export type HostedPayable = z.input<typeof hostedPayable>

const anyPayment = {
  payer_email: z.email({ error: 'expected an e-mail address' }).max(254).nullable().optional(),
  amount_cents: amountCents.optional(),
}

/** A payment from the hosted page. A card in clear has no field here, so it is refused as unknown. */
export const payment = z.discriminatedUnion('method', [
  z.strictObject({ method: z.literal('card'), card_jwe: z.string().min(1).max(8192), ...anyPayment }),
  z.strictObject({ method: z.literal('cash'), ...anyPayment }),
])

/** What a payment came to, where it was not refused: a decline is a 402, a technical failure a 502. */
export const paymentAnswer = z.object({
  status: z.enum(['approved', 'pending']),
  redirect_url: z.string().optional(),
  /** Where cash was chosen. A pending payment without one is still being worked on. */
  voucher: voucher.optional(),
})

const params = z.object({ id: id('cs') })
const linkParams = z.object({ id: id('pl') })
// The page of what does not exist is the same page: it asks, and says so in the payer's language.
const pageParams = z.object({ id: z.string().max(64) })
// Those who send addresses on append words of their own to them.
const anyQuery = z.looseObject({})
const hosted = { service: 'checkout', tenant: false } as const
const read = { ...hosted, method: 'GET', response: dataOf(hostedPayable) } as const
const stream = { ...hosted, method: 'GET', response: 'events' } as const
const pay = {
  ...hosted,
  method: 'POST',
  body: payment,
  idempotency: 'lease',
  charges: true,
  laterStatus: 202,
  response: paymentAnswer,
} as const

export const hostedOperations = {
  page: operation({
    ...hosted,
    id: 'showCheckoutPage',
    summary: 'The hosted checkout page',
    method: 'GET',
    path: '/checkout/:id',
    params: pageParams,
    query: anyQuery,
    response: 'page',
  }),
  linkPage: operation({
    ...hosted,
    id: 'showLinkPage',
    summary: 'The hosted page of a payment link',
    method: 'GET',
    path: '/links/:id',
    params: pageParams,
    query: anyQuery,
    response: 'page',
  }),
  asset: operation({
    ...hosted,
    id: 'getHostedAsset',
    summary: 'A file of the hosted page',
    method: 'GET',
    path: '/hosted/assets/:file',
    params: z.object({ file: z.string().regex(/^[\w.-]{1,100}$/) }),
    response: 'page',
  }),
  read: operation({
    ...read,
    id: 'getHostedSession',
    summary: "What the payer's page shows of a session",
    path: '/hosted/v1/checkout/:id',
    params,
  }),
  readLink: operation({
    ...read,
    id: 'getHostedLink',
    summary: "What the payer's page shows of a payment link",
    path: '/hosted/v1/links/:id',
    params: linkParams,
  }),
  stream: operation({
    ...stream,
    id: 'streamHostedSession',
    summary: 'Follows a session: what the page shows, each time it changes',
    path: '/hosted/v1/checkout/:id/stream',
    params,
  }),
  streamLink: operation({
    ...stream,
    id: 'streamHostedLink',
    summary: 'Follows a payment link: what the page shows, each time it changes',
    path: '/hosted/v1/links/:id/stream',
    params: linkParams,
  }),
  pay: operation({
    ...pay,
    id: 'payHostedSession',
    summary: 'Pays a session',
    path: '/hosted/v1/checkout/:id/payments',
    params,
  }),
  payLink: operation({
    ...pay,
    id: 'payHostedLink',
    summary: 'Pays a payment link',
    path: '/hosted/v1/links/:id/payments',
    params: linkParams,
  }),
  cancel: operation({
    ...hosted,
    id: 'cancelHostedSession',
    summary: 'The payer gives up',
    method: 'POST',
    path: '/hosted/v1/checkout/:id/cancel',
    params,
    body: z.strictObject({}).optional(),
    response: dataOf(hostedPayable),
  }),
}
