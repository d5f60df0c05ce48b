import { newId } from '@cobro/contracts'
import type { AcceptanceStack } from './acceptance-stack.ts'

/**
 * Stores a call for a fee rule that waits for an approval, and returns the approval's id. In the sandbox no call is held, so that
 * every other test changes what it wants at once.
 */
export async function heldCall(
  query: AcceptanceStack['query'],
  { merchant_id, name }: { merchant_id: string; name: string },
): Promise<string> {
  const id = newId('apr')
  await query(
    `insert into transactions.approvals (id, merchant_id, operation, params, body, status, requested_by, created_at, lapses_at)
     values ($1, $2, 'createFeeRule', '{}', $3, 'pending', $4, now(), now() + interval '72 hours')`,
    [id, merchant_id, JSON.stringify({ name }), newId('usr')],
  )
  return id
}
