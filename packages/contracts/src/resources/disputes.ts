import { z } from 'zod'
import { id } from '../ids.ts'
import { amountCents, currencyCode } from '../money.ts'
import { resource } from '../resource.ts'
import { isoTime } from '../times.ts'

export const disputeStatuses = ['open', 'under_review', 'won', 'lost', 'accepted', 'expired'] as const
export type DisputeStatus = (typeof disputeStatuses)[number]

const reason = z.string().min(1).max(100)
const network_reason_code = z.string().min(1).max(32).nullable()
const due_by = isoTime.nullable()

/** Named texts. One that is sent again replaces itself, null takes it away, and the others stay. */
const evidence = z
  .record(
    z.string().regex(/^\w{1,64}$/, { error: 'expected a name of letters, digits and _' }),
    z.string().max(4_096).nullable(),
  )
  .refine(texts => Object.keys(texts).length <= 50, { error: 'expected at most 50 texts' })

/** A payment that its cardholder does not accept. */
export const disputes = resource({
  kind: 'dispute',
  plural: 'disputes',
  prefix: 'dsp',
  service: 'transactions',
  path: '/api/disputes',
  row: z.object({
    id: id('dsp'),
    merchant_id: id('mrc'),
    transaction_id: id('txn'),
    amount_cents: amountCents,
    currency: currencyCode,
    reason: z.string(),
    network_reason_code: z.string().nullable(),
    status: z.enum(disputeStatuses),
    evidence: z.record(z.string(), z.string()).nullable(),
    due_by: isoTime.nullable(),
    opened_at: isoTime,
    resolved_at: isoTime.nullable(),
    created_at: isoTime,
    updated_at: isoTime,
  }),
  create: z.strictObject({
    transaction_id: id('txn'),
    reason,
    network_reason_code: network_reason_code.optional(),
    due_by: due_by.optional(),
    evidence: evidence.optional(),
  }),
  update: z.strictObject({
    status: z.enum(disputeStatuses).optional(),
    evidence: evidence.optional(),
    reason: reason.optional(),
    network_reason_code: network_reason_code.optional(),
    due_by: due_by.optional(),
  }),
  filters: {
    status: z.enum(disputeStatuses),
    transaction_id: id('txn'),
    currency: currencyCode,
    reason: z.string().max(100),
  },
  order: ['created_at', 'updated_at', 'status', 'amount_cents', 'due_by', 'opened_at', 'resolved_at'],
  search: ['id', 'transaction_id', 'reason'],
})
