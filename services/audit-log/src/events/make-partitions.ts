import type { Database } from '@cobro/database'
import type { Logger } from '@cobro/runtime'

/** Creates partitions three months ahead. Any replica can call it; cheap if none is missing. */
export async function makePartitions({ db, logger }: { db: Database; logger: Logger }): Promise<void> {
  const [row] = await db.write(tx => tx.execute<{ made: number }[]>('select audit.make_partitions() as made'))
  if (row && row.made > 0) logger.info({ made: row.made }, 'created partitions of the log')
}
