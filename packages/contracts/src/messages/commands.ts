import { z } from 'zod'
import { id, storedId } from '../fields/ids.ts'
import { metadata } from '../fields/metadata.ts'
import { amountCents, currencyCode } from '../fields/money.ts'
import { isoTime } from '../fields/times.ts'
import { paymentMethods } from '../resources/checkout-sessions.ts'

/** A payment attempt for a session or link, with every field of its transaction. */
const attempt = z.object({
  payment_intent_id: id('pi'),
  attempt: z.int().min(1),
  payable_id: storedId<'cs' | 'pl'>(),
  payment_link_id: storedId<'pl'>().nullable(),
  merchant_id: id('mrc'),
  correlation_id: id('corr'),
  amount_cents: amountCents,
  currency: currencyCode,
  /** Absent in messages of older releases, which had only cards. */
  payment_method: z.enum(paymentMethods).optional(),
  card: z.object({ brand: z.string(), last4: z.string() }).nullable(),
  payer_email: z.string().nullable(),
  order_id: z.string().nullable(),
  reference: z.string().nullable(),
  metadata: metadata.nullable(),
})

/** A place in a list by time: of the last row before, whose time PostgreSQL wrote as JSON. */
const place = z.object({ at: z.string(), id: z.string() })

/** What reconciliation compares. Ids are any text: it compares what is stored, even if that is malformed. */
const compared = z.object({ id: z.string(), merchant_id: z.string(), amount_cents: z.int(), currency: z.string() })

/** Every command by name, which is also its routing key: who sends it and who executes it. */
export const commands = {
  /** Charges a card token, unless the deadline has passed and the attempt is unknown. */
  'payment.charge': {
    publisher: 'checkout',
    consumer: 'transactions',
    data: attempt.extend({ token: z.string(), deadline: isoTime }),
  },
  /** Issues a voucher for cash, unless the deadline has passed and the attempt is unknown. */
  'payment.voucher': {
    publisher: 'checkout',
    consumer: 'transactions',
    data: attempt.extend({ concept: z.string().max(250), deadline: isoTime }),
  },
  /** Returns an attempt's outcome. An unknown attempt is recorded as failed, so never charged. */
  'payment.resolve': { publisher: 'checkout', consumer: 'transactions', data: attempt },
  /** Returns the completed sessions and paid links among these that no captured payment has paid. */
  'reconciliation.find_unpaid': {
    publisher: 'checkout',
    consumer: 'transactions',
    data: z.object({ payables: z.array(compared.extend({ transaction_id: z.string().nullable() })) }),
  },
  /** Returns the next captured payments that a session or link must name, oldest first. */
  'reconciliation.list_payments': {
    publisher: 'checkout',
    consumer: 'transactions',
    data: z.object({ after: place, until: z.string() }),
  },
} as const

/** Replies to commands that are not events: only the sender of the command receives them. */
export const replies = {
  /**
   * The outcome of the attempt is not known yet; the event `payment_attempt.settled` follows. Where
   * the outcome is known, that event is the reply.
   */
  'payment_attempt.pending': { data: z.object({ payment_intent_id: id('pi'), attempt: z.int().min(1) }) },
  'reconciliation.unpaid': { data: z.object({ ids: z.array(z.string()) }) },
  /** None after the last payment. */
  'reconciliation.payments': {
    data: z.object({ payments: z.array(compared.extend({ payable_id: z.string(), captured_at: z.string() })) }),
  },
} as const

export type ReplyName = keyof typeof replies
/** The data of such a reply in code. */
export type ReplyData<N extends ReplyName> = z.output<(typeof replies)[N]['data']>
export type CommandName = keyof typeof commands
/** The data of a command in code: times are dates. */
export type CommandData<N extends CommandName> = z.output<(typeof commands)[N]['data']>
