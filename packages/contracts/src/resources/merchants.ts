import { z } from 'zod'
import { countryCode } from '../countries.ts'
import { id } from '../ids.ts'
import { currencyCode } from '../money.ts'
import { resource } from '../resource.ts'
import { isoTime } from '../times.ts'

const name = z.string().min(1).max(100)
const legalName = z.string().min(1).max(200)
const status = z.enum(['active', 'disabled'])

/** The initials of a company (3) or person (4), the day it was founded or born, and three characters of the tax office's. */
const rfc = z
  .string()
  .regex(/^[A-ZÑ&]{3,4}\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])[A-Z\d]{2}[A\d]$/, {
    error: 'expected an RFC in upper case, such as CAZ010203AB4',
  })
  .nullable()

/** Who takes payments. Its currency is one that the deployment takes; while it is disabled, nobody pays it or acts for it. */
export const merchants = resource({
  kind: 'merchant',
  plural: 'merchants',
  prefix: 'mrc',
  service: 'gateway',
  path: '/api/merchants',
  tenant: false,
  row: z.object({
    id: id('mrc'),
    name,
    legal_name: legalName,
    rfc,
    country: countryCode,
    currency: currencyCode,
    status,
    created_at: isoTime,
    updated_at: isoTime,
  }),
  create: z.strictObject({
    name,
    legal_name: legalName,
    rfc: rfc.optional(),
    country: countryCode.optional(),
    currency: currencyCode.optional(),
    status: status.optional(),
  }),
  update: z.strictObject({
    name: name.optional(),
    legal_name: legalName.optional(),
    rfc: rfc.optional(),
    country: countryCode.optional(),
    currency: currencyCode.optional(),
    status: status.optional(),
  }),
  filters: { status, name, rfc: rfc.unwrap(), country: countryCode, currency: currencyCode },
  order: ['created_at', 'updated_at', 'name', 'legal_name', 'status'],
  search: ['name', 'legal_name', 'rfc'],
})
