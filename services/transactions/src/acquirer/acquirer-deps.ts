import type { Acquirer } from '@cobro/acquirer'
import type { Database } from '@cobro/database'

/** What a use case needs that calls the acquirer and stores its answer. */
export interface AcquirerDeps {
  db: Database
  acquirer: Acquirer
}

/** What a background check of the acquirer needs. */
export interface CheckDeps extends AcquirerDeps {
  /** Ends the check before its next batch. */
  stopping?: AbortSignal
}
