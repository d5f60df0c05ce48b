import { ApiError, terminales } from '@cobro/contracts'
import { type Database, tenantRows, violatesConstraint } from '@cobro/database'
import { crud, type Route } from '@cobro/http'
import { TerminalEntity } from './terminal-entity.ts'

const events = { created: 'terminal.created', updated: 'terminal.updated', deleted: 'terminal.deleted' } as const

export function terminalRoutes({ db }: { db: Database }): Route[] {
  return Object.values(
    crud(terminales, tenantRows(db, { resource: terminales, entity: TerminalEntity, events, mapError })),
  )
}

function mapError(error: unknown): ApiError | undefined {
  return violatesConstraint(error, 'terminales_serial')
    ? new ApiError('conflict', 'serial: another terminal has this one')
    : undefined
}
