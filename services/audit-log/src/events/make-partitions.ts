import type { Database } from '@cobro/database'
import type { Logger } from '@cobro/runtime'

/** Creates the monthly partitions up to three months ahead. Cheap if none is missing. Any number of replicas can call it. */
export async function makePartitions({ db, logger }: { db: Database; logger: Logger }): Promise<void> {
  const [row] = await db.write(tx => tx.execute<{ made: number }[]>('select audit.make_partitions() as made'))
  if (row && row.made > 0) logger.info({ made: row.made }, 'created partitions of the log')
}
