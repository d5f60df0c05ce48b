import type { Database } from '@cobro/database'
import type { SigningKey } from './checkpoint-keys.ts'
import type { CheckpointWitness } from './checkpoint-witness.ts'

/** What is needed to append to the log. */
export interface LogWriter {
  db: Database
  key: SigningKey
  /** Stores each checkpoint outside the database, and rejects a log that lacks one. */
  witness: CheckpointWitness
}
