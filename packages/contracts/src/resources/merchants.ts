import { z } from 'zod'
import { callerSets, merchantStatuses } from '../declarations/callers.ts'
import { resource } from '../declarations/resource.ts'
import { countryCode } from '../fields/countries.ts'
import { id } from '../fields/ids.ts'
import { currencyCode } from '../fields/money.ts'
import { timeZone } from '../fields/time-zones.ts'
import { timestamps } from '../fields/times.ts'

const name = z
  .string()
  .min(1)
  .max(100)
  .meta({ description: 'The name that payers see.', examples: ['Café Azul'] })
const legalName = z
  .string()
  .min(1)
  .max(200)
  .meta({ description: 'The name of the company or person.', examples: ['Café Azul SA de CV'] })
const status = z
  .enum(merchantStatuses)
  .describe('A disabled merchant takes no payments, and its keys and users may not call.')
const currency = currencyCode.describe('The currency of sessions and links that name none.')
const timezone = timeZone.describe("The IANA name of the merchant's time zone. Times of the API stay in UTC.")

const payerReceipts = z
  .boolean()
  .describe(
    'Whether payers get a mail when a payment is approved or refunded, if their address is known and the deployment sends mails.',
  )

/** Initials of a company (3) or person (4), founding or birth date, 3 tax office characters. */
const rfc = z
  .string()
  .regex(/^[A-ZÑ&]{3,4}\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])[A-Z\d]{2}[A\d]$/, {
    error: 'expected an RFC in upper case, such as CAZ010203AB4',
  })
  .nullable()
  .meta({ description: 'The Mexican tax id (RFC), in upper case.', examples: ['CAZ010203AB4'] })

/** A merchant takes payments. Its currency is one that the deployment accepts. */
export const merchants = resource({
  type: 'Merchant',
  labels: { one: 'merchant', many: 'merchants' },
  prefix: 'mrc',
  service: 'gateway',
  path: '/api/merchants',
  tenant: false,
  tag: { name: 'Merchants', description: 'The companies that take payments. For operators.' },
  audit: 'admin',
  area: 'merchants',
  fresh: ['update'],
  callers: { read: callerSets.operators, write: callerSets.operators },
  allMerchants: ['create', 'delete'],
  emits: { create: ['merchant.created'], update: ['merchant.updated'], delete: ['merchant.deleted'] },
  notes: {
    list: 'An operator sees the merchants in its scope.',
    update: 'Disabling a merchant stops its payments, keys and users within a second; enabling it lets them continue.',
    delete: 'Deletes a merchant that has no API keys and no users. A merchant that has some can be disabled.',
  },
  row: z
    .object({
      id: id('mrc'),
      name,
      legal_name: legalName,
      rfc,
      country: countryCode,
      currency,
      timezone,
      payer_receipts: payerReceipts,
      status,
      ...timestamps,
    })
    .describe('A company or person that takes payments.'),
  create: z.strictObject({
    name,
    legal_name: legalName,
    rfc: rfc.optional(),
    country: countryCode.optional(),
    currency: currency.optional(),
    timezone: timezone.optional(),
    payer_receipts: payerReceipts.optional(),
    status: status.optional(),
  }),
  update: z.strictObject({
    name: name.optional(),
    legal_name: legalName.optional(),
    rfc: rfc.optional(),
    country: countryCode.optional(),
    currency: currency.optional(),
    timezone: timezone.optional(),
    payer_receipts: payerReceipts.optional(),
    status: status.optional(),
  }),
  filters: {
    status,
    name,
    rfc: rfc.unwrap().describe('The Mexican tax id (RFC), in upper case.'),
    country: countryCode,
    currency,
  },
  order: ['created_at', 'updated_at', 'name', 'legal_name', 'status'],
  search: ['name', 'legal_name', 'rfc'],
})
