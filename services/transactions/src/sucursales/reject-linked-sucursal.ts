import { ApiError } from '@cobro/contracts'
import type { Tx } from '@cobro/database'
import { TerminalEntity } from '../terminales/terminal-entity.ts'

/** Rejects the deletion of a sucursal that terminals are linked to. */
export async function rejectLinkedSucursal(tx: Tx, sucursal: { id: string }): Promise<void> {
  const terminals = await tx.count(TerminalEntity, { sucursal_id: sucursal.id })
  if (terminals > 0) throw new ApiError('conflict', `${terminals} terminal(s) are linked to this sucursal`)
}
