import { z } from 'zod'
import { callerSets } from '../declarations/callers.ts'
import { resource } from '../declarations/resource.ts'
import { id } from '../fields/ids.ts'
import { amountCents, currencyCode } from '../fields/money.ts'
import { named } from '../fields/pagination.ts'
import { isoTime, maybeIsoTime, timestamps } from '../fields/times.ts'

export const disputeStatuses = ['open', 'under_review', 'won', 'lost', 'accepted', 'expired'] as const
export type DisputeStatus = (typeof disputeStatuses)[number]

const reasonText = { description: 'Why the cardholder disputes the payment.', examples: ['fraudulent'] }
const codeText = { description: "The card network's reason code.", examples: ['10.4'] }
const status = named('DisputeStatus', z.enum(disputeStatuses).describe('The state of a dispute.'))
const transactionId = id('txn').describe('The disputed transaction.')

const reason = z.string().min(1).max(100).meta(reasonText)
const network_reason_code = z.string().min(1).max(32).nullable().meta(codeText)
const due_by = maybeIsoTime.describe('Until when evidence is accepted.')

const shownEvidence = named(
  'DisputeEvidence',
  z
    .record(z.string(), z.string())
    .meta({ description: 'The texts that were sent, by name.', examples: [{ receipt: 'Ticket 1042' }] }),
)

/** Texts by name. A text that is sent again is replaced, null removes it, and the others stay. */
const evidence = z
  .record(
    z.string().regex(/^\w{1,64}$/, { error: 'expected a name of letters, digits and _' }),
    z.string().max(4_096).nullable(),
  )
  .refine(texts => Object.keys(texts).length <= 50, { error: 'expected at most 50 texts' })
  .meta({
    description:
      'Texts by name, at most 50. A text is replaced by sending it again and removed by `null`; the others stay.',
    examples: [{ receipt: 'Ticket 1042, delivered 2026-11-20' }],
  })

/** A payment that its cardholder disputes with the issuer. */
export const disputes = resource({
  type: 'Dispute',
  labels: { one: 'dispute', many: 'disputes' },
  prefix: 'dsp',
  service: 'transactions',
  path: '/api/disputes',
  tag: { name: 'Disputes', description: 'Payments that their cardholders dispute.' },
  audit: 'payment',
  area: 'money',
  scopeGroup: 'disputes',
  callers: { read: callerSets.merchants, write: callerSets.operators, update: callerSets.merchants },
  emits: {
    create: ['dispute.opened', 'payment.chargeback'],
    update: [
      'dispute.updated',
      'dispute.under_review',
      'dispute.won',
      'dispute.lost',
      'dispute.accepted',
      'dispute.expired',
    ],
    delete: ['dispute.withdrawn'],
  },
  notes: {
    create:
      'The transaction must be approved, without a refund that is processing; the disputed amount is held until the dispute ends.',
    update:
      "A merchant may send evidence, and accept the dispute. How an acquirer's dispute ends, only the acquirer decides.",
    delete:
      "Withdraws a dispute that was entered by an operator: the amount that was held is released. An acquirer's dispute cannot be deleted.",
  },
  row: z
    .object({
      id: id('dsp'),
      merchant_id: id('mrc'),
      transaction_id: transactionId,
      amount_cents: amountCents.describe('The disputed amount.'),
      currency: currencyCode,
      reason: z.string().meta(reasonText),
      network_reason_code: z.string().nullable().meta(codeText),
      status,
      evidence: shownEvidence.nullable().describe('The texts that were sent, by name; `null` for none.'),
      due_by,
      opened_at: isoTime.describe('When it was opened.'),
      resolved_at: maybeIsoTime.describe('When it ended; `null` until then.'),
      ...timestamps,
    })
    .describe('A payment that its cardholder disputes.'),
  create: z.strictObject({
    transaction_id: transactionId,
    amount_cents: amountCents.optional().describe("The disputed amount; by default the transaction's."),
    reason,
    network_reason_code: network_reason_code.optional(),
    due_by: due_by.optional(),
    evidence: evidence.optional(),
  }),
  update: z.strictObject({
    status: status.optional(),
    evidence: evidence.optional(),
    reason: reason.optional(),
    network_reason_code: network_reason_code.optional(),
    due_by: due_by.optional(),
  }),
  filters: {
    status,
    transaction_id: transactionId,
    currency: currencyCode,
    reason: z.string().max(100).meta(reasonText),
  },
  order: ['created_at', 'updated_at', 'status', 'amount_cents', 'due_by', 'opened_at', 'resolved_at'],
  search: ['id', 'transaction_id', 'reason'],
})
