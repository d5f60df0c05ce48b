import { terminales, terminalLinkOperations } from '@cobro/contracts'
import { type Database, tenantRows } from '@cobro/database'
import { crud, type Route, route } from '@cobro/http'
import { createTerminal, updateTerminal } from './change-terminal.ts'
import { linkTerminal, unlinkTerminal } from './link-terminal.ts'
import { TerminalEntity } from './terminal-entity.ts'

const events = { created: 'terminal.created', updated: 'terminal.updated', deleted: 'terminal.deleted' } as const

export function terminalRoutes({ db }: { db: Database }): Route[] {
  const rows = tenantRows(db, { resource: terminales, entity: TerminalEntity, events })
  return [
    ...Object.values(
      crud(terminales, {
        ...rows,
        create: (caller, input) => createTerminal(db, caller, input),
        update: (caller, id, input) => updateTerminal(db, caller, id, input),
      }),
    ),
    route(terminalLinkOperations.link, async ({ caller, params, body }) => {
      return { data: await linkTerminal(db, caller, params.id, body.sucursal_id) }
    }),
    route(terminalLinkOperations.unlink, async ({ caller, params }) => {
      return { data: await unlinkTerminal(db, caller, params.id) }
    }),
  ]
}
