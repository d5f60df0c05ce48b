import type { DemoHistory } from '@cobro/contracts/demo'
import { newRow, type Tx } from '@cobro/database'
import { FeeRuleEntity } from '../fee-rules/fee-rule-entity.ts'
import { RollingReserveEntity } from '../rolling-reserve/rolling-reserve-entity.ts'
import { SettlementConfigEntity } from '../settlement-config/settlement-config-entity.ts'

/** Stores fees, reserve and payouts of the merchant, unless an earlier load did. */
export async function loadTerms(tx: Tx, { merchant, terms, currency, since }: DemoHistory): Promise<void> {
  if (await tx.findOne(SettlementConfigEntity, { id: terms.payouts.id })) return
  const common = { merchant_id: merchant.id, currency, active: true, created_at: since, updated_at: since }
  for (const rule of terms.fee_rules) newRow(tx, FeeRuleEntity, { ...common, ...rule, rail: 'online_cnp', priority: 0 })
  newRow(tx, RollingReserveEntity, { ...common, ...terms.reserve })
  newRow(tx, SettlementConfigEntity, { ...common, ...terms.payouts, frequency: 'weekly', minimum_cents: 0 })
}
