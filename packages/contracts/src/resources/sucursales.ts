import { z } from 'zod'
import { countryCode } from '../countries.ts'
import { id } from '../ids.ts'
import { resource } from '../resource.ts'
import { isoTime } from '../times.ts'

const address = z.strictObject({
  street: z.string().max(200).nullable().optional(),
  city: z.string().max(100).nullable().optional(),
  state: z.string().max(100).nullable().optional(),
  postal_code: z.string().max(12).nullable().optional(),
  country: countryCode.nullable().optional(),
})

const name = z.string().min(1).max(100)
const phone = z.string().min(1).max(30).nullable().optional()
const status = z.enum(['active', 'inactive'])

/** A merchant's branch. */
export const sucursales = resource({
  kind: 'sucursal',
  plural: 'sucursales',
  prefix: 'suc',
  service: 'transactions',
  path: '/api/sucursales',
  row: z.object({
    id: id('suc'),
    merchant_id: id('mrc'),
    name,
    address: z.object(address.shape).nullable(),
    phone: z.string().nullable(),
    status,
    created_at: isoTime,
    updated_at: isoTime,
  }),
  create: z.strictObject({ name, address: address.nullable().optional(), phone, status: status.optional() }),
  update: z.strictObject({
    name: name.optional(),
    address: address.nullable().optional(),
    phone,
    status: status.optional(),
  }),
  filters: { status, name },
  order: ['created_at', 'updated_at', 'name', 'status'],
  search: ['name'],
})
