import { z } from 'zod'
import { callerSets } from '../declarations/callers.ts'
import { operation, type Tag } from '../declarations/operation.ts'
import { id, storedId } from '../fields/ids.ts'
import { currencyCode, sumCents } from '../fields/money.ts'
import { dataOf, listOf, listQuery, named } from '../fields/pagination.ts'
import { isoTime, maybeIsoTime } from '../fields/times.ts'
import { emptyBody } from './empty-body.ts'

const tag: Tag = {
  name: 'Approvals',
  description: 'Calls of operators that take effect once a second operator approves them.',
}

const status = named(
  'ApprovalStatus',
  z
    .enum(['pending', 'approved', 'rejected', 'lapsed'])
    .describe('`lapsed`: it was pending for 72 hours. Only a pending approval can be decided.'),
)
const operationText = { description: 'The operation that was called.', examples: ['createFeeRule'] }
const requestedBy = id('usr').describe('The operator who made the call, who can neither approve nor reject it.')
const reason = z
  .string()
  .min(1)
  .max(500)
  .meta({ description: 'Why it was rejected.', examples: ['Wrong merchant'] })

/** A call of an operator that waits for the decision of a second operator. */
export const approval = named(
  'Approval',
  z
    .object({
      id: id('apr'),
      merchant_id: id('mrc'),
      operation: z.string().meta(operationText),
      params: z.record(z.string(), z.string()).meta({
        description: 'The parameters in the path of the call.',
        examples: [{ id: 'fee_01kdvc4x2m8p6q7r9s0t1v2w3x' }],
      }),
      body: z
        .record(z.string(), z.unknown())
        .nullable()
        .meta({ description: 'The body of the call; `null` for none.', examples: [{ percent_bps: 290 }] }),
      amount_cents: sumCents.nullable().describe('What the call would move; `null` where it sets terms.'),
      currency: currencyCode.nullable().describe('The currency of the amount; `null` without one.'),
      status,
      requested_by: requestedBy,
      created_at: isoTime.describe('When the call was made.'),
      lapses_at: isoTime.describe('Until when it can be decided.'),
      decided_by: storedId<'usr'>().nullable().meta({
        description: 'The operator who approved or rejected it; `null` for none.',
      }),
      decided_at: maybeIsoTime.describe('When it was approved or rejected, or lapsed; `null` while it is pending.'),
      reason: reason.nullable().describe('Why it was rejected; `null` where no reason was given.'),
      target_id: z
        .string()
        .nullable()
        .meta({
          description: 'The object that the approved call created or changed; `null` until then.',
          examples: ['fee_01kdvc4x2m8p6q7r9s0t1v2w3x'],
        }),
    })
    .describe('A call of an operator that takes effect once a second operator approves it.'),
)

/** The response to a call that needs an approval. */
export const approvalResponse = dataOf(approval)

const base = {
  service: 'transactions',
  tenant: true,
  tag,
  audit: 'admin',
  area: 'money',
  callers: callerSets.operators,
} as const
const one = { params: z.object({ id: id('apr') }), target: 'id', response: approvalResponse } as const

/** What operators do about calls that need an approval. */
export const approvalOperations = {
  list: operation({
    ...base,
    id: 'listApprovals',
    summary: 'List approvals',
    description:
      'Returns a page of approvals, by default the newest first. An operator sees those of the merchants in its scope.',
    method: 'GET',
    path: '/api/approvals',
    query: listQuery({
      order: ['created_at', 'lapses_at', 'amount_cents'],
      filters: {
        status,
        operation: z.string().max(64).meta(operationText),
        requested_by: id('usr').describe('The operator who made the call.'),
        currency: currencyCode,
      },
      search: false,
    }),
    response: listOf(approval),
  }),
  read: operation({
    ...base,
    ...one,
    id: 'getApproval',
    summary: 'Get an approval',
    description: 'Returns one approval.',
    method: 'GET',
    path: '/api/approvals/:id',
  }),
  approve: operation({
    ...base,
    ...one,
    fresh: true,
    id: 'approveCall',
    summary: 'Approve a call',
    description:
      'Carries out the call and approves it, in one transaction. Neither the operator who made the call nor one whose user or credentials are too new can approve it. If the call fails now, its error is returned and the approval stays pending; so it does, with a conflict, if the call would move more than `amount_cents`. A conflict if it is no longer pending.',
    method: 'POST',
    path: '/api/approvals/:id/approve',
    body: emptyBody,
    emits: ['approval.approved'],
  }),
  reject: operation({
    ...base,
    ...one,
    id: 'rejectCall',
    summary: 'Reject a call',
    description:
      'Rejects the call, which then has no effect. The operator who made it cannot reject it. A conflict if it is no longer pending.',
    method: 'POST',
    path: '/api/approvals/:id/reject',
    body: named(
      'RejectCall',
      z.strictObject({ reason: reason.optional() }).describe('Why you reject the call.'),
    ).optional(),
    emits: ['approval.rejected'],
  }),
}
