import { ApiError, type Caller } from '@cobro/contracts'
import { type Database, getRow } from '@cobro/database'
import { SucursalEntity } from '../sucursales/sucursal-entity.ts'
import { TerminalEntity, type TerminalRow } from './terminal-entity.ts'

/** Puts a terminal into a branch of its own merchant. */
export function linkTerminal(db: Database, caller: Caller, id: string, sucursalId: string): Promise<TerminalRow> {
  return db.write(async (tx, emit) => {
    const terminal = await getRow(tx, TerminalEntity, caller, id, { lock: true })
    // Locked, so that the branch is not deleted meanwhile.
    const branch = await getRow(tx, SucursalEntity, caller, sucursalId, { lock: true })
    if (branch.merchant_id !== terminal.merchant_id) throw new ApiError('forbidden')
    terminal.sucursal_id = branch.id
    terminal.linked_at = new Date()
    emit('terminal.updated', terminal)
    return terminal
  })
}

/** Takes a terminal out of its branch. A terminal in no branch stays as it is. */
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
