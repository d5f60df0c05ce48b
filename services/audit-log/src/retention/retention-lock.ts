import type { Database } from '@cobro/database'

const tryLock = `select pg_try_advisory_xact_lock(hashtextextended('audit retention', 0)) as held`

/**
 * Does what only one retention run of a log may do at a time, and fails where another is at it. The lock is a transaction's, which
 * stands still meanwhile: a connection that merely held it could be closed for being idle, and the lock would go with it.
 */
export async function withRetentionLock(db: Database, work: () => Promise<void>): Promise<void> {
  await db.write(async tx => {
    const [lock] = await tx.execute<{ held: boolean }[]>(tryLock)
    if (!lock?.held) throw new Error('Another retention run of this log is at work.')
    await work()
  })
}
