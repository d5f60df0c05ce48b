import { type BodyOf, defaultCurrency, type merchants, newId } from '@cobro/contracts'
import { type Database, type Emit, newRow, type Tx } from '@cobro/database'
import { checkCurrency } from '@cobro/http'
import { MerchantEntity, type MerchantRow } from './gateway-merchant-entity.ts'

type NewMerchant = BodyOf<typeof merchants.operations.create>

const defaultCountry = 'MX'
const defaultTimeZone = 'America/Mexico_City'

/** Rules for merchants that the deployment configures. */
export interface MerchantRules {
  currencies: readonly string[]
}

export async function createMerchant(
  { db, rules }: { db: Database; rules: MerchantRules },
  input: NewMerchant,
): Promise<MerchantRow> {
  checkCurrency(rules.currencies, input.currency)
  return db.write((tx, emit) => insertMerchant(tx, emit, input))
}

/** Inserts a merchant and emits `merchant.created`. */
export async function insertMerchant(tx: Tx, emit: Emit, input: NewMerchant): Promise<MerchantRow> {
  const { name, legal_name, rfc, country, currency, timezone, payer_receipts, status } = input
  const now = new Date()
  const row = newRow(tx, MerchantEntity, {
    id: newId('mrc'),
    name,
    legal_name,
    rfc: rfc ?? null,
    country: country ?? defaultCountry,
    currency: currency ?? defaultCurrency,
    timezone: timezone ?? defaultTimeZone,
    payer_receipts: payer_receipts ?? false,
    status: status ?? 'active',
    version: 1,
    created_at: now,
    updated_at: now,
  })
  await tx.flush()
  emit('merchant.created', row, { merchant_id: row.id })
  return row
}
