import { ledgerOperations } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { type Route, route } from '@cobro/http'
import { checkLedger } from './check-ledger.ts'

export function ledgerRoutes({ db }: { db: Database }): Route[] {
  return [route(ledgerOperations.check, async ({ caller }) => ({ data: await checkLedger(db, caller) }))]
}
