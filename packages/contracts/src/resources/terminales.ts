import { z } from 'zod'
import { id } from '../ids.ts'
import { operation } from '../operation.ts'
import { dataOf } from '../pagination.ts'
import { resource } from '../resource.ts'
import { isoTime } from '../times.ts'

const name = z.string().min(1).max(100)
const serial = z.string().min(1).max(64)
const model = z.string().min(1).max(64).nullable().optional()
const status = z.enum(['active', 'inactive'])

const row = z.object({
  id: id('trm'),
  merchant_id: id('mrc'),
  name,
  serial,
  model: z.string().nullable(),
  sucursal_id: z.string().nullable(),
  status,
  linked_at: isoTime.nullable(),
  last_seen_at: isoTime.nullable(),
  created_at: isoTime,
  updated_at: isoTime,
})

/** A card terminal, which may stand in a branch. */
export const terminales = resource({
  kind: 'terminal',
  plural: 'terminales',
  prefix: 'trm',
  service: 'transactions',
  path: '/api/terminales',
  row,
  create: z.strictObject({ name, serial, model, status: status.optional() }),
  update: z.strictObject({ name: name.optional(), serial: serial.optional(), model, status: status.optional() }),
  filters: { status, serial, sucursal_id: id('suc') },
  order: ['created_at', 'updated_at', 'name', 'serial', 'status', 'linked_at', 'last_seen_at'],
  search: ['name', 'serial', 'model'],
})

const link = {
  service: 'transactions',
  tenant: true,
  path: '/api/terminales/:id/link',
  params: z.object({ id: id('trm') }),
  response: dataOf(row),
} as const

export const terminalLinkOperations = {
  link: operation({
    ...link,
    id: 'linkTerminal',
    summary: 'Links a terminal to a branch',
    method: 'POST',
    body: z.strictObject({ sucursal_id: id('suc') }),
  }),
  unlink: operation({ ...link, id: 'unlinkTerminal', summary: 'Takes a terminal out of its branch', method: 'DELETE' }),
}
