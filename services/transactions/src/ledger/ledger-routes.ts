import { ApiError, ledgerOperations } from '@cobro/contracts'
import { type Database, ranOutOfTime } from '@cobro/database'
import { type Route, route } from '@cobro/http'
import { measuredCheck } from './measured-check.ts'

export function ledgerRoutes({ db }: { db: Database }): Route[] {
  return [
    route(ledgerOperations.check, async ({ caller }) => {
      const checked = measuredCheck(db, caller).catch(error => {
        if (!ranOutOfTime(error)) throw error
        throw new ApiError('timeout', 'there is too much to look through here: run ledger-check', { cause: error })
      })
      return { data: await checked }
    }),
  ]
}
