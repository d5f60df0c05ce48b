import type { Id } from '@cobro/contracts'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { Account, LedgerEvent } from './ledger-accounts.ts'

/** An amount debited from one account and credited to another, never updated or deleted. */
export const LedgerEntryEntity = defineEntity({
  name: 'LedgerEntry',
  tableName: 'ledger_entries',
  properties: {
    id: p.text().$type<Id<'led'>>().primary(),
    merchant_id: p.text().$type<Id<'mrc'>>(),
    currency: p.text(),
    event: p.text().$type<LedgerEvent>(),
    debit: p.text().$type<Account>(),
    credit: p.text().$type<Account>(),
    amount_cents: p.bigint(),
    transaction_id: p.text().$type<Id<'txn'>>().strictNullable(),
    /** The refund, dispute or settlement that caused the entry. */
    source_id: p.text().strictNullable(),
    /** The UTC day it counts for. The daily run posts for the day that has just ended. */
    day: p.date(),
    created_at: p.datetime(3),
  },
})

/** The balances of one captured transaction: the sums of its entries, updated with them. */
export const LedgerPositionEntity = defineEntity({
  name: 'LedgerPosition',
  tableName: 'ledger_positions',
  properties: {
    transaction_id: p.text().$type<Id<'txn'>>().primary(),
    merchant_id: p.text().$type<Id<'mrc'>>(),
    currency: p.text(),
    captured_on: p.date(),
    hold_until: p.date().strictNullable(),
    /** The rolling reserve that holds part of the amount; null when nothing was ever held. */
    reserve_id: p.text().$type<Id<'rsv'>>().strictNullable(),
    /** The last day whose run made any of it available; null before the first. */
    matured_on: p.date().strictNullable(),
    pending_cents: p.bigint(),
    available_cents: p.bigint(),
    reserve_cents: p.bigint(),
    disputed_cents: p.bigint(),
    /** Whether any of its entries is in no settlement. */
    unsettled: p.boolean(),
  },
})

export type LedgerEntryRow = InferEntity<typeof LedgerEntryEntity>
export type LedgerPositionRow = InferEntity<typeof LedgerPositionEntity>
