import type { Database } from '@cobro/database'

/** Deletes previous secrets that no longer sign. */
export async function deleteExpiredSecrets(db: Database): Promise<void> {
  await db.write(tx => tx.execute(deleteExpired))
}

const deleteExpired = `
  update webhooks.endpoints set previous_secret = null, previous_secret_until = null
  where previous_secret_until <= now()`
