import { terminalLinkOperations } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { type Route, route } from '@cobro/http'
import { linkTerminal, unlinkTerminal } from './link-terminal.ts'

export function terminalLinkRoutes({ db }: { db: Database }): Route[] {
  return [
    route(terminalLinkOperations.link, async ({ caller, params, body }) => {
      return { data: await linkTerminal(db, caller, params.id, body.sucursal_id) }
    }),
    route(terminalLinkOperations.unlink, async ({ caller, params }) => {
      return { data: await unlinkTerminal(db, caller, params.id) }
    }),
  ]
}
