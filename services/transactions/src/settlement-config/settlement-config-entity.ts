import type { Id, RowOf, settlementConfigs } from '@cobro/contracts'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

type SettlementConfig = RowOf<typeof settlementConfigs>

export type BankAccount = NonNullable<SettlementConfig['bank']>

/** A bank account as it is stored: `clabe` is masked, and `clabe_sealed` is the encrypted number. */
export interface StoredBankAccount extends BankAccount {
  /** Undefined if the release before stored the account; then `clabe` is the number. */
  clabe_sealed?: string
}

/** When and to which bank account a merchant is paid out. */
export const SettlementConfigEntity = defineEntity({
  name: 'SettlementConfig',
  tableName: 'settlement_configs',
  properties: {
    id: p.text().$type<SettlementConfig['id']>().primary(),
    merchant_id: p.text().$type<SettlementConfig['merchant_id']>(),
    frequency: p.text().$type<SettlementConfig['frequency']>(),
    weekday: p.integer().strictNullable(),
    month_day: p.integer().strictNullable(),
    delay_days: p.integer(),
    minimum_cents: p.bigint('number'),
    currency: p.text(),
    bank: p.json<StoredBankAccount | null>().strictNullable(),
    /** A bank account that takes effect at `bank_effective_at`; null also for the removal of the account. */
    bank_pending: p.json<StoredBankAccount | null>().strictNullable(),
    bank_requested_by: p.text().$type<Id<'usr'>>().strictNullable(),
    /** Null if no change is on hold. */
    bank_effective_at: p.datetime(3).strictNullable(),
    active: p.boolean(),
    created_at: p.datetime(3).onCreate(() => new Date()),
    updated_at: p
      .datetime(3)
      .onCreate(() => new Date())
      .onUpdate(() => new Date()),
  },
})

export type SettlementConfigRow = InferEntity<typeof SettlementConfigEntity>
export type PendingBankChange = Pick<SettlementConfigRow, 'bank_pending' | 'bank_requested_by' | 'bank_effective_at'>
