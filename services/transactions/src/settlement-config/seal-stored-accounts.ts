import type { Database } from '@cobro/database'
import type { KeyRing } from '@cobro/runtime'
import { openAccount, sealAccount } from './sealed-account.ts'
import type { StoredBankAccount } from './settlement-config-entity.ts'

interface StoredAccounts {
  id: string
  bank: StoredBankAccount | null
  bank_pending: StoredBankAccount | null
}

const batchSize = 100

/** Accounts that are not encrypted, or with another key than the first. */
const isOutdated = (column: string) =>
  `(${column} <> 'null' and split_part(coalesce(${column} ->> 'clabe_sealed', ''), '.', 1) <> ?)`

const select = `
  select id, bank, bank_pending from transactions.settlement_configs
  where ${isOutdated('bank')} or ${isOutdated('bank_pending')}
  order by id limit ${batchSize} for update skip locked`
const update = 'update transactions.settlement_configs set bank = ?, bank_pending = ? where id = ?'

/**
 * Encrypts the account numbers that the release before stored, and those that are encrypted with
 * another key than the first. Returns whether there may be more.
 */
export function sealStoredAccounts(db: Database, keys: KeyRing): Promise<boolean> {
  return db.write(async tx => {
    const rows = await tx.execute<StoredAccounts[]>(select, [keys[0].id, keys[0].id])
    for (const { id, bank, bank_pending } of rows)
      await tx.execute(update, [...[bank, bank_pending].map(stored => sealedAgain(keys, stored)), id])
    return rows.length === batchSize
  })
}

const sealedAgain = (keys: KeyRing, stored: StoredBankAccount | null) =>
  stored && JSON.stringify(sealAccount(keys, openAccount(keys, stored)))
