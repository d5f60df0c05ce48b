import { z } from 'zod'
import { callerSets } from '../declarations/callers.ts'
import { operation, type Tag } from '../declarations/operation.ts'
import { dataOf, named } from '../fields/pagination.ts'
import { emptyBody } from './empty-body.ts'

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

/** The acquirer's notifications, and payments of vouchers in the sandbox. */
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
  payVoucher: operation({
    ...base,
    id: 'paySandboxVoucher',
    summary: 'Pay a voucher in the sandbox',
    description: "Pays a merchant's cash voucher as if the payer had gone to the counter. Only in the sandbox.",
    callers: callerSets.merchants,
    scopeGroup: 'transactions',
    path: '/api/sandbox/vouchers/:reference/pay',
    params: z.object({
      reference: reference.meta({ description: "The voucher's reference.", examples: ['93000000104226'] }),
    }),
    body: emptyBody,
    idempotency: 'lease',
    emits: ['payment.approved'],
    response: dataOf(paidVoucher),
  }),
}
