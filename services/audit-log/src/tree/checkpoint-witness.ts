import { appendFile } from 'node:fs/promises'
import type { Logger } from '@cobro/runtime'
import type { SignedCheckpoint } from './add-leaves.ts'
import { countAuditFailure } from './audit-failures.ts'

/** Stores a checkpoint where the administrator of the database cannot change it. */
export type Witness = (checkpoint: SignedCheckpoint) => Promise<void>

/**
 * Returns a witness that logs each checkpoint and also appends it to `file`, if set. File errors do
 * not stop the audit log: its events are stored, and every later checkpoint covers them too.
 */
export function checkpointWitness(file: string | undefined, logger: Logger): Witness {
  return async checkpoint => {
    logger.info(checkpoint, 'checkpoint')
    if (file === undefined) return
    await appendFile(file, `${JSON.stringify(checkpoint)}\n`).catch(error => {
      countAuditFailure('witness')
      logger.error({ err: error, file }, 'cannot write a checkpoint outside the database')
    })
  }
}
