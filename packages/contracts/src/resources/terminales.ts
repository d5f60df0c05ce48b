import { z } from 'zod'
import { callerSets } from '../declarations/callers.ts'
import { operation, type Tag } from '../declarations/operation.ts'
import { resource } from '../declarations/resource.ts'
import { id, storedId } from '../fields/ids.ts'
import { dataOf, named } from '../fields/pagination.ts'
import { maybeIsoTime, timestamps } from '../fields/times.ts'

const tag: Tag = { name: 'Terminales', description: 'Card terminals, which may be linked to a sucursal.' }

const modelText = { description: 'The model.', examples: ['P400'] }
const name = z
  .string()
  .min(1)
  .max(100)
  .meta({ description: 'A name for people.', examples: ['Caja 1'] })
const serial = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: 'The serial number, unique to a merchant.', examples: ['SN-0001'] })
const model = z.string().min(1).max(64).nullable().optional().meta(modelText)
const status = named('TerminalStatus', z.enum(['active', 'inactive']).describe('Whether it is in use.'))
const sucursalId = { description: 'The sucursal that it is linked to.' }
const sucursal_id = id('suc')
  .nullable()
  .optional()
  .meta({ description: 'The sucursal to link it to; `null` for none.' })

/** A card terminal, which may be linked to a branch. */
export const terminales = resource({
  type: 'Terminal',
  labels: { one: 'terminal', many: 'terminales' },
  prefix: 'trm',
  service: 'transactions',
  path: '/api/terminales',
  tag,
  audit: 'admin',
  area: 'branches',
  scopeGroup: 'sucursales',
  callers: { read: callerSets.merchants, write: callerSets.merchants },
  emits: { create: ['terminal.created'], update: ['terminal.updated'], delete: ['terminal.deleted'] },
  row: z
    .object({
      id: id('trm'),
      merchant_id: id('mrc'),
      name,
      serial,
      model: z.string().nullable().meta(modelText),
      sucursal_id: storedId<'suc'>().nullable().meta(sucursalId),
      status,
      linked_at: maybeIsoTime.describe('When it was linked to its sucursal.'),
      last_seen_at: maybeIsoTime.describe('When it was last seen; `null` for never.'),
      ...timestamps,
    })
    .describe('A card terminal.'),
  create: z.strictObject({ name, serial, model, sucursal_id, status: status.optional() }),
  update: z.strictObject({
    name: name.optional(),
    serial: serial.optional(),
    model,
    sucursal_id,
    status: status.optional(),
  }),
  filters: { status, serial, sucursal_id: id('suc').describe('Only terminals linked to this sucursal.') },
  order: ['created_at', 'updated_at', 'name', 'serial', 'status', 'linked_at', 'last_seen_at'],
  search: ['name', 'serial', 'model'],
})

const link = {
  service: 'transactions',
  tenant: true,
  tag,
  audit: 'admin',
  area: 'branches',
  callers: callerSets.merchants,
  scopeGroup: 'sucursales',
  path: '/api/terminales/:id/link',
  params: z.object({ id: id('trm') }),
  target: 'id',
  emits: ['terminal.updated'],
  response: dataOf(terminales.row),
} as const

export const terminalLinkOperations = {
  link: operation({
    ...link,
    id: 'linkTerminal',
    summary: 'Link a terminal to a sucursal',
    description: 'Links a terminal to a sucursal of the same merchant, instead of the one it was linked to before.',
    method: 'POST',
    body: named('LinkTerminal', z.strictObject({ sucursal_id: id('suc').meta(sucursalId) })),
  }),
  unlink: operation({
    ...link,
    id: 'unlinkTerminal',
    summary: 'Unlink a terminal from its sucursal',
    description: 'Removes the link between a terminal and its sucursal.',
    method: 'DELETE',
  }),
}
