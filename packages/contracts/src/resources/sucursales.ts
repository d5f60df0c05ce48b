import { z } from 'zod'
import { callerSets } from '../declarations/callers.ts'
import { resource } from '../declarations/resource.ts'
import { countryCode } from '../fields/countries.ts'
import { id } from '../fields/ids.ts'
import { named } from '../fields/pagination.ts'
import { timestamps } from '../fields/times.ts'

const addressFields = {
  street: z
    .string()
    .max(200)
    .nullable()
    .optional()
    .meta({ description: 'Street and number.', examples: ['Orizaba 12'] }),
  city: z
    .string()
    .max(100)
    .nullable()
    .optional()
    .meta({ description: 'City.', examples: ['Ciudad de México'] }),
  state: z
    .string()
    .max(100)
    .nullable()
    .optional()
    .meta({ description: 'State.', examples: ['CDMX'] }),
  postal_code: z
    .string()
    .max(12)
    .nullable()
    .optional()
    .meta({ description: 'Postal code.', examples: ['06700'] }),
  country: countryCode.nullable().optional().describe('Country.'),
}
const addressInput = named('AddressInput', z.strictObject(addressFields).describe('A postal address.'))
const addressDescription = 'The address; `null` if unknown.'

const name = z
  .string()
  .min(1)
  .max(100)
  .meta({ description: 'A name for people.', examples: ['Centro'] })
const phoneText = { description: 'The telephone number.', examples: ['55 1234 5678'] }
const phone = z.string().min(1).max(30).nullable().optional().meta(phoneText)
const status = named('SucursalStatus', z.enum(['active', 'inactive']).describe('Whether it is in use.'))

/** A merchant's branch. */
export const sucursales = resource({
  type: 'Sucursal',
  labels: { one: 'sucursal', many: 'sucursales' },
  prefix: 'suc',
  service: 'transactions',
  path: '/api/sucursales',
  tag: { name: 'Sucursales', description: "A merchant's branches." },
  audit: 'admin',
  area: 'branches',
  scopeGroup: 'sucursales',
  callers: { read: callerSets.merchants, write: callerSets.merchants },
  emits: { create: ['sucursal.created'], update: ['sucursal.updated'], delete: ['sucursal.deleted'] },
  notes: { delete: 'Deletes a sucursal that no terminal is linked to.' },
  row: z
    .object({
      id: id('suc'),
      merchant_id: id('mrc'),
      name,
      address: named('Address', z.object(addressFields).describe('A postal address.'))
        .nullable()
        .describe(addressDescription),
      phone: z.string().nullable().meta(phoneText),
      status,
      ...timestamps,
    })
    .describe("A merchant's branch."),
  create: z.strictObject({
    name,
    address: addressInput.nullable().optional().describe(addressDescription),
    phone,
    status: status.optional(),
  }),
  update: z.strictObject({
    name: name.optional(),
    address: addressInput.nullable().optional().describe(addressDescription),
    phone,
    status: status.optional(),
  }),
  filters: { status, name },
  order: ['created_at', 'updated_at', 'name', 'status'],
  search: ['name'],
})
