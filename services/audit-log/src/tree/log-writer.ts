import type { Database } from '@cobro/database'
import type { SigningKey } from './checkpoint-keys.ts'
import type { Witness } from './checkpoint-witness.ts'

/** What is needed to append to the log. */
export interface LogWriter {
  db: Database
  key: SigningKey
  /** Stores each checkpoint outside the database. */
  witness: Witness
}
