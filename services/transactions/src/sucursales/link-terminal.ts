import { ApiError, type Caller } from '@cobro/contracts'
import { type Database, getRow } from '@cobro/database'
import { TerminalEntity, type TerminalRow } from '../terminales/terminal-entity.ts'
import { SucursalEntity } from './sucursal-entity.ts'

/** Links a terminal to a sucursal of the same merchant. */
export function linkTerminal(db: Database, caller: Caller, id: string, sucursalId: string): Promise<TerminalRow> {
  return db.write(async (tx, emit) => {
    const terminal = await getRow(tx, TerminalEntity, caller, id, { lock: true })
    // Locked, so that it is not deleted concurrently.
    const sucursal = await getRow(tx, SucursalEntity, caller, sucursalId, { lock: true })
    if (sucursal.merchant_id !== terminal.merchant_id) throw new ApiError('forbidden')
    terminal.sucursal_id = sucursal.id
    terminal.linked_at = new Date()
    emit('terminal.updated', terminal)
    return terminal
  })
}

/** Unlinks a terminal from its sucursal, if it has one. */
export function unlinkTerminal(db: Database, caller: Caller, id: string): Promise<TerminalRow> {
  return db.write(async (tx, emit) => {
    const terminal = await getRow(tx, TerminalEntity, caller, id, { lock: true })
    if (terminal.sucursal_id === null) return terminal
    terminal.sucursal_id = null
    terminal.linked_at = null
    emit('terminal.updated', terminal)
    return terminal
  })
}
