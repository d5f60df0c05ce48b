import type { Database } from '@cobro/database'

const tryLock = `select pg_try_advisory_xact_lock(hashtextextended('audit retention', 0)) as held`

/**
 * Runs `work` under the lock for retention runs, or fails if another run holds it. The transaction
 * of the lock is idle otherwise. A session lock could be lost, because idle connections may be closed.
 */
export async function withRetentionLock(db: Database, work: () => Promise<void>): Promise<void> {
  await db.write(async tx => {
    const [lock] = await tx.execute<{ held: boolean }[]>(tryLock)
    if (!lock?.held) throw new Error('Another retention run of this log is active.')
    await work()
  })
}
