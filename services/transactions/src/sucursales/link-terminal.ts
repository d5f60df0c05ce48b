import { ApiError, type Caller, type Id } from '@cobro/contracts'
import { assignRow, type Database, getRow, type Tx } from '@cobro/database'
import { SucursalEntity } from './sucursal-entity.ts'
import { TerminalEntity, type TerminalRow } from './terminal-entity.ts'

/** Links a terminal to a sucursal of the same merchant. */
export function linkTerminal(db: Database, caller: Caller, id: Id<'trm'>, sucursalId: Id<'suc'>): Promise<TerminalRow> {
  return db.write(async (tx, emit) => {
    const terminal = await getRow(tx, TerminalEntity, caller, id, { lock: true })
    assignRow(terminal, await sucursalOf(tx, caller, terminal.merchant_id, sucursalId))
    emit('terminal.updated', terminal)
    return terminal
  })
}

/** Returns the columns that link a terminal of a merchant to a sucursal, which must be the same merchant's. */
export async function sucursalOf(tx: Tx, caller: Caller, merchantId: Id<'mrc'>, sucursalId: Id<'suc'>) {
  // Locked, so that it is not deleted concurrently.
  const sucursal = await getRow(tx, SucursalEntity, caller, sucursalId, { lock: true })
  if (sucursal.merchant_id !== merchantId) throw new ApiError('forbidden')
  return { sucursal_id: sucursal.id, linked_at: new Date() }
}

/** Unlinks a terminal from its sucursal, if it has one. */
export function unlinkTerminal(db: Database, caller: Caller, id: Id<'trm'>): Promise<TerminalRow> {
  return db.write(async (tx, emit) => {
    const terminal = await getRow(tx, TerminalEntity, caller, id, { lock: true })
    if (terminal.sucursal_id === null) return terminal
    terminal.sucursal_id = null
    terminal.linked_at = null
    emit('terminal.updated', terminal)
    return terminal
  })
}

/** Rejects the deletion of a sucursal that terminals are linked to. */
export async function rejectLinkedSucursal(tx: Tx, sucursal: { id: Id<'suc'> }): Promise<void> {
  const terminals = await tx.count(TerminalEntity, { sucursal_id: sucursal.id })
  if (terminals > 0) throw new ApiError('conflict', `${terminals} terminal(s) are linked to this sucursal`)
}
