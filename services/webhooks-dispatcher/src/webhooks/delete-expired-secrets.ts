import type { Database } from '@cobro/database'

/** Forgets secrets that sign no more. */
export async function forgetPreviousSecrets(db: Database): Promise<void> {
  await db.read(em => em.execute(forget))
}

const forget = `
  update webhooks.endpoints set previous_secret = null, previous_secret_until = null
  where previous_secret_until <= now()`
