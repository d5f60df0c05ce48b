import type { BodyOf, Caller, Id, merchants } from '@cobro/contracts'
import { assignRow, type Database } from '@cobro/database'
import { checkCurrency } from '@cobro/http'
import type { MerchantRules } from './create-merchant.ts'
import type { MerchantRow } from './gateway-merchant-entity.ts'
import { getMerchantRow } from './read-merchants.ts'

type MerchantChange = BodyOf<typeof merchants.operations.update>

/** Changes a merchant. An unchanged value emits no event. */
export async function updateMerchant(
  { db, rules }: { db: Database; rules: MerchantRules },
  caller: Caller,
  { id, change }: { id: Id<'mrc'>; change: MerchantChange },
): Promise<MerchantRow> {
  return db.write(async (tx, emit) => {
    const row = await getMerchantRow(tx, caller, id, { lock: true })
    const changed = Object.entries(change).filter(([name, value]) => row[name as keyof MerchantRow] !== value)
    if (changed.length === 0) return row
    // A merchant may keep a currency that the deployment no longer accepts.
    if (change.currency !== row.currency) checkCurrency(rules.currencies, change.currency)
    assignRow(row, { ...Object.fromEntries(changed), version: row.version + 1, updated_at: new Date() })
    emit('merchant.updated', row)
    return row
  })
}
