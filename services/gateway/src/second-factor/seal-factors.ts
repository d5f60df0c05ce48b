import { type Database, seal, unseal } from '@cobro/database'
import type { KeyRing } from '@cobro/runtime'

const batchSize = 100

/**
 * Encrypts again the secrets of second factors that are encrypted with another key than the first, so that the other can be
 * removed. Returns whether there may be more.
 */
export function sealFactors(db: Database, keys: KeyRing): Promise<boolean> {
  return db.write(async tx => {
    const rows = await tx.execute<{ user_id: string; secret_sealed: string }[]>(
      `select user_id, secret_sealed from ${db.schema}.second_factors
       where split_part(secret_sealed, '.', 1) <> ?
       order by user_id limit ${batchSize} for update skip locked`,
      [keys[0].id],
    )
    for (const { user_id, secret_sealed } of rows)
      await tx.execute(`update ${db.schema}.second_factors set secret_sealed = ? where user_id = ?`, [
        seal(keys, unseal(keys, secret_sealed)),
        user_id,
      ])
    return rows.length === batchSize
  })
}
