import type { Database } from '@cobro/database'

const tryLock = `select pg_try_advisory_xact_lock(hashtextextended('audit retention', 0)) as held`

/**
 * Runs `work` while holding the lock for retention runs. Fails if another run holds it. The lock belongs to a transaction that is
 * otherwise idle: an idle connection with a session lock could be closed, which would release the lock.
 */
export async function withRetentionLock(db: Database, work: () => Promise<void>): Promise<void> {
  await db.write(async tx => {
    const [lock] = await tx.execute<{ held: boolean }[]>(tryLock)
    if (!lock?.held) throw new Error('Another retention run of this log is active.')
    await work()
  })
}
