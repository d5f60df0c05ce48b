import { ApiError, type BodyOf, type Caller, type Id, newId, type terminales } from '@cobro/contracts'
import {
  assignRow,
  changedFields,
  type Database,
  getRow,
  merchantOf,
  newRow,
  violatesConstraint,
} from '@cobro/database'
import { sucursalOf } from './link-terminal.ts'
import { TerminalEntity, type TerminalRow } from './terminal-entity.ts'

type Create = BodyOf<typeof terminales.operations.create>
type Update = BodyOf<typeof terminales.operations.update>

const unlinked = { sucursal_id: null, linked_at: null }

/** Creates a terminal, linked to a sucursal of the same merchant if the input names one. */
export function createTerminal(db: Database, caller: Caller, { sucursal_id, ...input }: Create): Promise<TerminalRow> {
  const written = db.write(async (tx, emit) => {
    const merchant_id = merchantOf(caller)
    const link = sucursal_id ? await sucursalOf(tx, caller, merchant_id, sucursal_id) : unlinked
    const row = newRow(tx, TerminalEntity, { ...input, ...link, id: newId('trm'), merchant_id })
    emit('terminal.created', row)
    return row
  })
  return written.catch(rethrow)
}

/** Changes a terminal. A `sucursal_id` links it like the link route, and `null` unlinks it. */
export function updateTerminal(
  db: Database,
  caller: Caller,
  id: Id<'trm'>,
  { sucursal_id, ...input }: Update,
): Promise<TerminalRow> {
  const written = db.write(async (tx, emit) => {
    const row = await getRow(tx, TerminalEntity, caller, id, { lock: true })
    const relinked = sucursal_id !== undefined && sucursal_id !== row.sucursal_id
    const link = sucursal_id ? await sucursalOf(tx, caller, row.merchant_id, sucursal_id) : unlinked
    const change = relinked ? { ...input, ...link } : input
    if (Object.keys(changedFields(row, change)).length === 0) return row
    assignRow(row, change)
    emit('terminal.updated', row)
    return row
  })
  return written.catch(rethrow)
}

function rethrow(error: unknown): never {
  if (violatesConstraint(error, 'terminales_serial'))
    throw new ApiError('conflict', 'serial: another terminal has this one')
  throw error
}
