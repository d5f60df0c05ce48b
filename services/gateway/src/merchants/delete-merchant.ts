import { ApiError, type Caller, type Id } from '@cobro/contracts'
import { assignRow, type Database, type Tx } from '@cobro/database'
import { ApiKeyEntity } from '../api-keys/api-key-entity.ts'
import { getMerchantRow } from './read-merchants.ts'

/**
 * Soft-deletes a merchant, of which other services may still have data. Throws a 409 for a merchant
 * with API keys or users, which can only be disabled.
 */
export function deleteMerchant(db: Database, caller: Caller, id: Id<'mrc'>): Promise<void> {
  return db.write(async (tx, emit) => {
    const row = await getMerchantRow(tx, caller, id, { lock: true })
    if (await isInUse(tx, db.schema, id)) {
      throw new ApiError('conflict', 'the merchant has API keys or users: disable it instead')
    }
    const now = new Date()
    assignRow(row, { status: 'disabled', version: row.version + 1, updated_at: now, deleted_at: now })
    emit('merchant.deleted', row)
  })
}

/** Returns whether a merchant has API keys (even revoked), users, or an operator who lists it. */
async function isInUse(tx: Tx, schema: string, id: Id<'mrc'>): Promise<boolean> {
  if ((await tx.count(ApiKeyEntity, { merchant_id: id })) > 0) return true
  const users = await tx.execute(
    `select 1 from ${schema}.users where merchant_id = ? or merchants @> to_jsonb(?::text) limit 1`,
    [id, id],
  )
  return users.length > 0
}
