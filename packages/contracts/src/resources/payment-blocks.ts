import { z } from 'zod'
import { callerSets } from '../declarations/callers.ts'
import { operation, type Tag } from '../declarations/operation.ts'
import { id, storedId } from '../fields/ids.ts'
import { dataOf, listOf, listQuery, named } from '../fields/pagination.ts'
import { isoTime, maybeIsoTime } from '../fields/times.ts'

const tag: Tag = {
  name: 'Payment blocks',
  description: 'Payers who have to wait because a rule against card testing blocks their payments. For operators.',
}

/** The rules that block payments: what is counted, and where. */
export const velocityRules = [
  'card_attempts',
  'address_attempts',
  'address_declines',
  'payable_attempts',
  'payable_declines',
  'merchant_attempts',
] as const
export type VelocityRule = (typeof velocityRules)[number]

/** The fields that say which rule blocks payments, why, and until when. */
const blockReason = {
  rule: named(
    'VelocityRule',
    z
      .enum(velocityRules)
      .describe('The rule: attempts or declines in a row, of a card, address, session or link, or merchant.'),
  ),
  max_attempts: z.int().meta({ description: 'How many attempts or declines the rule allows.', examples: [30] }),
  window_seconds: z.int().meta({ description: 'In how many seconds it allows them.', examples: [86_400] }),
  ends_at: isoTime.describe('When payments are accepted again.'),
} as const

const payableId = storedId<'cs' | 'pl'>().meta({ description: 'The session or link whose payment exceeded the limit.' })

/** A rule that blocks payments for a while. What it counted, such as an address, is not shown. */
export const paymentBlock = named(
  'PaymentBlock',
  z
    .object({
      id: id('pbl'),
      merchant_id: id('mrc').describe('The merchant whose payment exceeded the limit.'),
      payable_id: payableId,
      correlation_id: storedId<'corr'>().meta({ description: 'The lifecycle of that payment.' }),
      ...blockReason,
      lifted_at: maybeIsoTime.describe('When an operator lifted it; `null` if none has.'),
      created_at: isoTime.describe('When it began.'),
    })
    .describe('A rule against card testing that blocks payments for a while.'),
)

/** A session or link whose payment was refused. */
export const blockedPayment = z.object({ id: storedId<'cs' | 'pl'>(), block_id: id('pbl'), ...blockReason })

/** A session or link whose block was lifted. */
export const unblockedPayment = blockedPayment.pick({ id: true, block_id: true, rule: true })

const base = {
  service: 'checkout',
  tenant: true,
  tag,
  audit: 'payment',
  area: 'payments',
  callers: callerSets.operators,
} as const
const one = { params: z.object({ id: id('pbl') }), target: 'id', response: dataOf(paymentBlock) } as const

/** What operators do about blocked payments. */
export const paymentBlockOperations = {
  list: operation({
    ...base,
    id: 'listPaymentBlocks',
    summary: 'List payment blocks',
    description:
      'Returns a page of payment blocks, by default the newest first: those in force, lifted and ended ones. An operator sees those of the merchants in its scope.',
    method: 'GET',
    path: '/api/payment-blocks',
    query: listQuery({
      order: ['created_at', 'ends_at'],
      filters: {
        rule: blockReason.rule,
        payable_id: z.string().max(64).describe('The session or link whose payment exceeded the limit.'),
        correlation_id: id('corr'),
      },
      search: false,
    }),
    response: listOf(paymentBlock),
  }),
  read: operation({
    ...base,
    ...one,
    id: 'getPaymentBlock',
    summary: 'Get a payment block',
    description: 'Returns one payment block.',
    method: 'GET',
    path: '/api/payment-blocks/:id',
  }),
  lift: operation({
    ...base,
    ...one,
    id: 'liftPaymentBlock',
    summary: 'Lift a payment block',
    description:
      'Lets payers pay again at once. Attempts and declines are counted from zero. One that is lifted already or has ended stays as it is.',
    method: 'POST',
    path: '/api/payment-blocks/:id/lift',
    emits: ['payment.unblocked'],
  }),
}
