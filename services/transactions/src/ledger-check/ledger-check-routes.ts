import { ApiError, ledgerOperations } from '@cobro/contracts'
import { type Database, isStatementTimeout } from '@cobro/database'
import { type Route, route } from '@cobro/http'
import { measuredLedgerCheck } from './check-ledger.ts'

export function ledgerCheckRoutes({ db }: { db: Database }): Route[] {
  return [
    route(ledgerOperations.check, async ({ caller }) => {
      const checked = measuredLedgerCheck(db, caller).catch(error => {
        if (!isStatementTimeout(error)) throw error
        throw new ApiError('timeout', 'the ledger is too large for a request: run ledger-check', { cause: error })
      })
      return { data: await checked }
    }),
  ]
}
