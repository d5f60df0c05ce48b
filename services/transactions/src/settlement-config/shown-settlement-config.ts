import { maskClabe, type RowOf, type settlementConfigs } from '@cobro/contracts'
import type { Changes } from '@cobro/database'
import type {
  BankAccount,
  PendingBankChange,
  SettlementConfigRow,
  StoredBankAccount,
} from './settlement-config-entity.ts'

type SettlementConfig = RowOf<typeof settlementConfigs>

/** A settlement configuration as responses show it: with masked accounts. */
export function shownConfig(row: SettlementConfigRow): SettlementConfig {
  return { ...row, bank: maskBank(row.bank), bank_pending: shownPending(row) }
}

/** Masks the accounts in the changes of an event. */
export function maskChanges({ bank, ...others }: Changes): Changes {
  if (!bank) return others
  const mask = (value: unknown) => maskBank(value as StoredBankAccount | null)
  return { ...others, bank: { from: mask(bank.from), to: mask(bank.to) } }
}

/** Returns the bank change that is on hold, with a masked account; null if there is none. */
export function shownPending({
  bank_pending,
  bank_requested_by,
  bank_effective_at,
}: PendingBankChange): SettlementConfig['bank_pending'] {
  if (bank_requested_by === null || bank_effective_at === null) return null
  return { bank: maskBank(bank_pending), requested_by: bank_requested_by, effective_at: bank_effective_at }
}

function maskBank(stored: StoredBankAccount | null): BankAccount | null {
  if (stored === null) return null
  const { clabe_sealed: _sealed, ...bank } = stored
  return { ...bank, clabe: maskClabe(bank.clabe) }
}
