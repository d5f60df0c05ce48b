import { ApiError } from '@cobro/contracts'
import { type ColumnValues, findRow, mapRow, type Reader, tableOf } from '@cobro/database'
import type { EntityData, EntitySchema } from '@mikro-orm/core'

/**
 * Inserts a row under its idempotency key, or returns the existing row. Waits for a concurrent
 * insert under the same key. `created` is true if the row is this call's.
 */
export async function claimIdempotencyKey<Row extends { key: string }>(
  em: Reader,
  entity: EntitySchema<Row>,
  row: EntityData<NoInfer<Row>> & { key: string },
): Promise<{ row: Row; created: boolean }> {
  const columns = Object.keys(row)
  const [inserted] = await em.execute<object[]>(
    `insert into ${tableOf(em, entity)} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})
     on conflict (key) do nothing returning *`,
    Object.values(row),
  )
  if (inserted) return { row: mapRow(em, entity, inserted), created: true }
  const existing = await findRow(em, entity, { key: row.key } as ColumnValues<Row>)
  if (!existing) throw new Error(`The row of the key ${row.key} has disappeared.`)
  return { row: existing, created: false }
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
