import type { Tx } from '@cobro/database'
import type { EntityData, EntityName } from '@mikro-orm/core'

/**
 * Stores a row under its idempotency key, unless the key has one. A row that another call is just storing is waited for.
 * `made` tells whether the row under the key is this call's; the row's own reference shows that.
 */
export async function claimKey<Row extends { key: string; reference: string }>(
  tx: Tx,
  entity: EntityName<Row>,
  row: EntityData<Row> & { reference: string },
): Promise<{ row: Row; made: boolean }> {
  const options = { onConflictFields: ['key' as const], onConflictAction: 'ignore' as const }
  const there = await tx.upsert<Row>(entity, row, options)
  return { row: there, made: there.reference === row.reference }
}
