import { ApiError } from '@cobro/contracts'
import type { Tx } from '@cobro/database'
import type { EntityData, EntityName } from '@mikro-orm/core'

/**
 * Inserts a row under its idempotency key, or returns the existing row. Waits for a concurrent
 * insert under the same key. `created` is true if the row is this call's, which its reference shows.
 */
export async function claimIdempotencyKey<Row extends { key: string; reference: string }>(
  tx: Tx,
  entity: EntityName<Row>,
  row: EntityData<Row> & { reference: string },
): Promise<{ row: Row; created: boolean }> {
  const options = { onConflictFields: ['key' as const], onConflictAction: 'ignore' as const }
  const stored = await tx.upsert<Row>(entity, row, options)
  return { row: stored, created: stored.reference === row.reference }
}

/** Throws `idempotency_mismatch` if the row of a key was created by a request with another body. */
export function rejectOtherBody<Field extends string>(
  row: { readonly [F in Field]?: unknown },
  request: { readonly [F in Field]?: unknown },
  fields: readonly Field[],
  kind: 'charge' | 'refund' | 'voucher',
): void {
  const same = fields.every(field => JSON.stringify(row[field] ?? null) === JSON.stringify(request[field] ?? null))
  if (!same) throw new ApiError('idempotency_mismatch', `the key belongs to another ${kind}`)
}
