import { z } from 'zod'
import { operation } from '../operation.ts'
import { dataOf } from '../pagination.ts'

/** What the acquirer tells on its own accord, and what only a sandbox allows. */
export const acquirerOperations = {
  notify: operation({
    service: 'transactions',
    tenant: false,
    id: 'receiveNotification',
    summary: "Takes a notification of the acquirer, which its signature proves to be the acquirer's",
    method: 'POST',
    path: '/acquirer/v1/notifications',
    // The body is the acquirer's own: it is read once its signature is found right, so that anything else is a 401 whatever it is.
    // Told apart by its own id.
    idempotency: 'none',
    response: z.object({ received: z.literal(true) }),
  }),
  payVoucher: operation({
    service: 'transactions',
    tenant: false,
    id: 'paySandboxVoucher',
    summary: 'Pays a voucher as if the payer had gone to the counter; in sandbox only',
    method: 'POST',
    path: '/api/sandbox/vouchers/:reference/pay',
    params: z.object({ reference: z.string().regex(/^[\w-]{1,64}$/) }),
    body: z.strictObject({}).optional(),
    idempotency: 'lease',
    response: dataOf(z.object({ reference: z.string(), status: z.literal('paid') })),
  }),
}
