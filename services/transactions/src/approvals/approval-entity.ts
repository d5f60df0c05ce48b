import type { approval } from '@cobro/contracts'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { z } from 'zod'

type Approval = z.output<typeof approval>

/** A call of an operator that waits for a second operator, or waited. */
export const ApprovalEntity = defineEntity({
  name: 'Approval',
  tableName: 'approvals',
  properties: {
    id: p.text().$type<Approval['id']>().primary(),
    merchant_id: p.text().$type<Approval['merchant_id']>(),
    operation: p.text(),
    params: p.json<Approval['params']>(),
    body: p.json<Approval['body']>().strictNullable(),
    amount_cents: p.bigint('number').strictNullable(),
    currency: p.text().strictNullable(),
    status: p.text().$type<Approval['status']>(),
    requested_by: p.text().$type<Approval['requested_by']>(),
    created_at: p.datetime(3),
    lapses_at: p.datetime(3),
    decided_by: p.text().$type<Approval['decided_by']>().strictNullable(),
    decided_at: p.datetime(3).strictNullable(),
    reason: p.text().strictNullable(),
    target_id: p.text().strictNullable(),
  },
})

export type ApprovalRow = InferEntity<typeof ApprovalEntity>
