import { approvalResponse, newId, type Operation } from '@cobro/contracts'
import { type Database, merchantOf, newRow } from '@cobro/database'
import type { HttpAnswer } from '@cobro/runtime'
import { z } from 'zod'
import { ApprovalEntity } from './approval-entity.ts'
import type { MovedAmount } from './approval-rules.ts'

/** How long an approval can be decided. */
const lapseMs = 72 * 3_600_000

interface RequestedCall {
  operation: Operation
  caller: Parameters<typeof merchantOf>[0] & { kind: 'operator' }
  params: Record<string, string>
  body: Record<string, unknown> | null
  moved: MovedAmount | undefined
}

/** Stores a call until a second operator decides, and returns the answer to it. */
export async function requestApproval(db: Database, call: RequestedCall): Promise<HttpAnswer> {
  const { operation, caller, params, body, moved } = call
  const row = await db.write(async (tx, emit) => {
    const now = new Date()
    const row = newRow(tx, ApprovalEntity, {
      id: newId('apr', now.getTime()),
      merchant_id: merchantOf(caller),
      ...{ operation: operation.id, params, body, ...moved },
      status: 'pending',
      requested_by: caller.id,
      created_at: now,
      lapses_at: new Date(now.getTime() + lapseMs),
    })
    emit('approval.requested', row)
    return row
  })
  return { status: 202, body: JSON.stringify(z.encode(approvalResponse, { data: row })) }
}
