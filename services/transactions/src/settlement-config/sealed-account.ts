import { isDeepStrictEqual } from 'node:util'
import { maskClabe } from '@cobro/contracts'
import { seal, unseal } from '@cobro/database'
import type { KeyRing } from '@cobro/runtime'
import type { BankAccount, StoredBankAccount } from './settlement-config-entity.ts'

/** Encrypts the account number with the first key. What remains readable is what responses show. */
export function sealAccount(keys: KeyRing, bank: BankAccount | null): StoredBankAccount | null {
  return bank && { ...bank, clabe: maskClabe(bank.clabe), clabe_sealed: seal(keys, bank.clabe) }
}

/** Returns a stored account with its number. Accounts that the release before stored are not encrypted. */
export function openAccount(keys: KeyRing, stored: StoredBankAccount | null): BankAccount | null {
  if (stored === null) return null
  const { clabe_sealed, ...bank } = stored
  return clabe_sealed === undefined ? bank : { ...bank, clabe: unseal(keys, clabe_sealed) }
}

/** Returns whether a stored account is the given one. */
export function isAccount(keys: KeyRing, stored: StoredBankAccount | null, bank: BankAccount | null): boolean {
  return isDeepStrictEqual(openAccount(keys, stored), bank)
}
