import { z } from 'zod'
import { event } from '../declarations/event.ts'
import { id } from '../fields/ids.ts'
import { voucher } from '../resources/voucher.ts'

const attemptOutcome = z.object({
  payment_intent_id: id('pi'),
  attempt: z.int(),
  /** `pending` is not final: a voucher was issued; another message follows its payment or end. */
  status: z.enum(['pending', 'approved', 'declined', 'failed', 'expired', 'cancelled']),
  /** A decline reason or `processing_error`. No enum, so newer reasons also resolve the attempt. */
  decline_reason: z.string().nullable(),
  transaction_id: id('txn'),
  voucher: voucher.nullable().optional(),
})

/** The outcome of an attempt to pay, for checkout only. */
export const ofAttemptOutcome = event({
  data: attemptOutcome,
  category: null,
  webhook: false,
  publishers: ['transactions'],
  consumers: ['checkout'],
})
