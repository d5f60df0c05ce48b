import { z } from 'zod'
import { id } from './ids.ts'
import { metadata } from './metadata.ts'
import { amountCents, currencyCode } from './money.ts'
import { paymentMethods } from './resources/checkout-sessions.ts'
import { isoTime } from './times.ts'

/** One attempt to pay a session or link, with everything that its transaction will say. */
const attempt = z.object({
  payment_intent_id: id('pi'),
  attempt: z.int().min(1),
  payable_id: z.string(),
  payment_link_id: z.string().nullable(),
  merchant_id: id('mrc'),
  correlation_id: id('corr'),
  amount_cents: amountCents,
  currency: currencyCode,
  /** Left out by releases that knew cards alone. */
  payment_method: z.enum(paymentMethods).optional(),
  card: z.object({ brand: z.string(), last4: z.string() }).nullable(),
  payer_email: z.string().nullable(),
  order_id: z.string().nullable(),
  reference: z.string().nullable(),
  metadata: metadata.nullable(),
})

/** Every command, by its name, which is also its routing key, and the one service that carries it out. */
export const commands = {
  /** Charge a card token, unless the deadline is past and nobody had heard of the attempt. */
  'payment.charge': { consumer: 'transactions', data: attempt.extend({ token: z.string(), deadline: isoTime }) },
  /** Issue a voucher that is paid in cash, unless the deadline is past and nobody had heard of the attempt. */
  'payment.voucher': {
    consumer: 'transactions',
    data: attempt.extend({ concept: z.string().max(250), deadline: isoTime }),
  },
  /** Say what an attempt came to; if nobody had heard of it, make sure that it never will be charged. */
  'payment.resolve': { consumer: 'transactions', data: attempt },
} as const

export type CommandName = keyof typeof commands
/** A command's data as code sees it: times are dates. */
export type CommandData<N extends CommandName> = z.output<(typeof commands)[N]['data']>
