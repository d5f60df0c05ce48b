import { z } from 'zod'
import { callerSets } from '../declarations/callers.ts'
import { operation, type Tag } from '../declarations/operation.ts'
import { dataOf, named } from '../fields/pagination.ts'
import { emptyBody } from './empty-body.ts'
import { failureReason } from './transaction-statuses.ts'

const tag: Tag = {
  name: 'Acquirer',
  description: "Notifications from the acquirer, and the sandbox's substitute for a payer at a counter.",
}

const base = { service: 'transactions', tenant: false, tag, audit: 'payment', method: 'POST' } as const

const reference = z.string().regex(/^[\w-]{1,64}$/)
const paidVoucher = named(
  'PaidVoucher',
  z
    .object({
      reference: z.string().meta({ description: "The voucher's reference.", examples: ['93000000104226'] }),
      status: z.literal('paid').describe('Always `paid`.'),
    })
    .describe('The voucher that was paid.'),
)

const testCard = named(
  'TestCard',
  z
    .object({
      number: z.string().meta({ description: 'The card number.', examples: ['4000000000009995'] }),
      brand: z
        .string()
        .nullable()
        .meta({ description: 'The brand; `null` for a number without one.', examples: ['visa'] }),
      status: z
        .enum(['approved', 'declined', 'failed', 'processing'])
        .meta({ id: 'TestCardStatus', description: 'What becomes of a payment.' }),
      decline_reason: failureReason.nullable().describe('Why it is declined; `null` otherwise.'),
      answer: z.enum(['prompt', 'slow', 'cut']).meta({
        id: 'TestCardAnswer',
        description:
          'How the acquirer answers: at once, after 15 s, or never, since the connection is cut although the card is charged.',
      }),
      disputed: z.boolean().describe('Whether the cardholder disputes the payment some seconds later.'),
      refundable: z.boolean().describe('Whether refunds succeed.'),
    })
    .describe('A card for tests. Any expiry that is not past and any security code is correct.'),
)

/** The acquirer's notifications, and what only the sandbox has: test cards, and payments of vouchers. */
export const acquirerOperations = {
  notify: operation({
    ...base,
    id: 'receiveNotification',
    summary: 'Receive an acquirer notification',
    description:
      'Stores a notification of the acquirer (a refund, voucher or dispute has changed) and applies it to the transaction that it names. ' +
      'The signature is verified over the body as sent; a repeated notification has no further effect.',
    callers: callerSets.acquirer,
    path: '/acquirer/v1/notifications',
    // No body schema: the body is parsed only after its signature is verified, so that anything else is a 401. No idempotency
    // key either: a notification has an id of its own.
    idempotency: 'none',
    emits: [
      'payment.refunded',
      'payment.refund_failed',
      'payment.approved',
      'payment.chargeback',
      'dispute.opened',
      'dispute.updated',
      'dispute.won',
      'dispute.lost',
    ],
    response: named(
      'NotificationReceipt',
      z.object({ received: z.literal(true).describe('The notification is stored.') }),
    ),
  }),
  testCards: operation({
    ...base,
    id: 'listTestCards',
    summary: 'List test cards',
    description: "Returns the sandbox acquirer's test cards and what becomes of their payments. Only in the sandbox.",
    method: 'GET',
    area: 'payments',
    callers: callerSets.merchants,
    scopeGroup: 'transactions',
    path: '/api/sandbox/test-cards',
    onlyInSandbox: true,
    response: named('TestCardList', z.object({ data: z.array(testCard).describe('Every documented test card.') })),
  }),
  payVoucher: operation({
    ...base,
    id: 'paySandboxVoucher',
    summary: 'Pay a voucher in the sandbox',
    description: "Pays a merchant's cash voucher as if the payer had gone to the counter. Only in the sandbox.",
    area: 'payments',
    callers: callerSets.merchants,
    scopeGroup: 'transactions',
    path: '/api/sandbox/vouchers/:reference/pay',
    params: z.object({
      reference: reference.meta({ description: "The voucher's reference.", examples: ['93000000104226'] }),
    }),
    onlyInSandbox: true,
    body: emptyBody,
    idempotency: { lease: 'at_once' },
    emits: ['payment.approved'],
    response: dataOf(paidVoucher),
  }),
}
