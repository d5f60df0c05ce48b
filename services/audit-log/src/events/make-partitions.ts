import type { Database } from '@cobro/database'
import type { Logger } from '@cobro/runtime'

/** Makes the months' partitions up to three months ahead. Cheap where nothing is missing; any number of replicas may call it. */
export async function makePartitions({ db, logger }: { db: Database; logger: Logger }): Promise<void> {
  const [row] = await db.write(tx => tx.execute<{ made: number }[]>('select audit.make_partitions() as made'))
  if (row && row.made > 0) logger.info({ made: row.made }, 'made partitions of the log')
}
