import { appendFile } from 'node:fs/promises'
import type { Logger } from '@cobro/runtime'
import type { SignedCheckpoint } from './add-leaves.ts'
import { countAuditFailure } from './audit-failures.ts'

/** Writes a checkpoint where the database's administrator cannot change it. */
export type Witness = (checkpoint: SignedCheckpoint) => Promise<void>

/**
 * Writes each checkpoint outside the database: to the service's own log and, where one is named, to the end of a file. The
 * events are stored by then, and every later checkpoint says the same and more, so a file that cannot be written stops nobody.
 */
export function checkpointWitness(file: string | undefined, logger: Logger): Witness {
  return async checkpoint => {
    logger.info(checkpoint, 'checkpoint')
    if (file === undefined) return
    await appendFile(file, `${JSON.stringify(checkpoint)}\n`).catch(error => {
      countAuditFailure('witness')
      logger.error({ err: error, file }, 'a checkpoint could not be written outside the database')
    })
  }
}
