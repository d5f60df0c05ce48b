import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { Account, LedgerEvent } from './ledger-accounts.ts'

/** An amount that went from one account of a merchant to another. Never changed once it is written. */
export const LedgerEntryEntity = defineEntity({
  name: 'LedgerEntry',
  tableName: 'ledger_entries',
  properties: {
    id: p.text().primary(),
    merchant_id: p.text(),
    currency: p.text(),
    event: p.text().$type<LedgerEvent>(),
    debit: p.text().$type<Account>(),
    credit: p.text().$type<Account>(),
    amount_cents: p.bigint(),
    transaction_id: p.text().strictNullable(),
    /** The refund, dispute or settlement that it was posted for. */
    source_id: p.text().strictNullable(),
    /** The UTC day that it counts for. The daily run posts for the day that has just ended. */
    day: p.date(),
    created_at: p.datetime(3),
  },
})

/** What a captured transaction has on its merchant's accounts: the sum of its entries, kept with them. */
export const LedgerPositionEntity = defineEntity({
  name: 'LedgerPosition',
  tableName: 'ledger_positions',
  properties: {
    transaction_id: p.text().primary(),
    merchant_id: p.text(),
    currency: p.text(),
    captured_on: p.date(),
    hold_until: p.date().strictNullable(),
    /** The rolling reserve that holds it; null where nothing was ever held. */
    reserve_id: p.text().strictNullable(),
    /** The last day whose end made any of it available; null where none has yet. */
    matured_on: p.date().strictNullable(),
    pending_cents: p.bigint(),
    available_cents: p.bigint(),
    reserve_cents: p.bigint(),
    disputed_cents: p.bigint(),
    /** Whether it has entries that no settlement has collected. */
    unsettled: p.boolean(),
  },
})

export type LedgerEntryRow = InferEntity<typeof LedgerEntryEntity>
export type PositionRow = InferEntity<typeof LedgerPositionEntity>
