import { isDeepStrictEqual } from 'node:util'
import { ApiError, type Caller, type Id, isId } from '@cobro/contracts'
import { changedFields, type Database, type Emit, getRow, type Tx } from '@cobro/database'
import { LockMode } from '@mikro-orm/core'
import { type BankAccount, SettlementConfigEntity, type SettlementConfigRow } from './settlement-config-entity.ts'
import { maskChanges, shownPending } from './shown-settlement-config.ts'

interface Changing {
  tx: Tx
  emit: Emit
}

const noChange = { bank_pending: null, bank_requested_by: null, bank_effective_at: null }

/**
 * Puts a new bank account on hold, instead of an earlier one that was. The current account cancels
 * a change that is on hold.
 */
export function requestBankChange(
  { tx, emit, bankHoldMs }: Changing & { bankHoldMs: number },
  caller: Caller,
  row: SettlementConfigRow,
  bank: BankAccount | null,
): void {
  if (isDeepStrictEqual(bank, row.bank)) {
    if (row.bank_effective_at !== null) endBankChange({ tx, emit }, row)
    return
  }
  const now = new Date()
  tx.assign(row, {
    bank_pending: bank,
    bank_requested_by: userId(caller),
    bank_effective_at: new Date(now.getTime() + bankHoldMs),
    updated_at: now,
  })
  emit('settlement_config.bank_change_requested', { ...row, bank_pending: shownPending(row) })
}

/** Puts a bank account that is on hold into effect. The user who asked for it cannot do so: 403. */
export function approveBankChange(db: Database, caller: Caller, id: Id<'stc'>): Promise<SettlementConfigRow> {
  return db.write(async (tx, emit) => {
    const row = await lockPending(tx, caller, id)
    if (row.bank_requested_by === userId(caller))
      throw new ApiError('forbidden', 'another user has to approve the change')
    applyBankChange({ tx, emit }, row)
    return row
  })
}

/** Drops a bank account that is on hold. */
export function cancelBankChange(db: Database, caller: Caller, id: Id<'stc'>): Promise<SettlementConfigRow> {
  return db.write(async (tx, emit) => {
    const row = await lockPending(tx, caller, id)
    endBankChange({ tx, emit }, row)
    return row
  })
}

const batchSize = 100

/** Puts the bank accounts whose hold has ended into effect. Returns whether there may be more. */
export function applyDueBankChanges(db: Database): Promise<boolean> {
  return db.write(async (tx, emit) => {
    const due = { bank_effective_at: { $lte: new Date() } }
    const locked = { limit: batchSize, lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE } as const
    const rows = await tx.find(SettlementConfigEntity, due, locked)
    for (const row of rows) applyBankChange({ tx, emit }, row)
    return rows.length === batchSize
  })
}

async function lockPending(tx: Tx, caller: Caller, id: Id<'stc'>): Promise<SettlementConfigRow> {
  const row = await getRow(tx, SettlementConfigEntity, caller, id, { lock: true })
  if (row.bank_effective_at === null) throw new ApiError('conflict', 'no change of the bank account is on hold')
  return row
}

function applyBankChange({ tx, emit }: Changing, row: SettlementConfigRow): void {
  const bank = row.bank_pending
  const changes = maskChanges(changedFields(row, { bank }))
  tx.assign(row, { ...noChange, bank, updated_at: new Date() })
  emit('settlement_config.updated', { ...row, changes })
}

function endBankChange({ tx, emit }: Changing, row: SettlementConfigRow): void {
  const bank_pending = shownPending(row)
  tx.assign(row, { ...noChange, updated_at: new Date() })
  emit('settlement_config.bank_change_cancelled', { ...row, bank_pending })
}

/** Returns the user who calls. Only users may call these operations. */
function userId(caller: Caller): Id<'usr'> {
  if ('id' in caller && isId('usr', caller.id)) return caller.id
  throw new ApiError('forbidden')
}
