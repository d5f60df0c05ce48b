import { ApiError, type BodyOf, type bankChangeOperations, type Caller, type Id } from '@cobro/contracts'
import { assignRow, changedFields, type Database, type Emit, getRow, type Tx } from '@cobro/database'
import type { KeyRing } from '@cobro/runtime'
import { LockMode } from '@mikro-orm/core'
import { isOlderThan, userId } from '../approvers/approver-rules.ts'
import { isAccount, sealAccount } from './sealed-account.ts'
import { type BankAccount, SettlementConfigEntity, type SettlementConfigRow } from './settlement-config-entity.ts'
import { maskChanges, shownPending } from './shown-settlement-config.ts'

const noChange = { bank_pending: null, bank_requested_by: null, bank_effective_at: null }

/** How long a change waits until it takes effect, in milliseconds. */
interface BankHold {
  bankHoldMs: number
}

/**
 * Puts a new bank account on hold, instead of an earlier one that was. The account that is on hold
 * already keeps its hold. The current account cancels a change that is on hold.
 */
export function requestBankChange(
  { emit, bankHoldMs, accountKeys }: BankHold & { emit: Emit; accountKeys: KeyRing },
  caller: Caller,
  row: SettlementConfigRow,
  bank: BankAccount | null,
): void {
  const onHold = row.bank_effective_at !== null
  if (isAccount(accountKeys, row.bank, bank)) {
    if (onHold) endBankChange(emit, row)
    return
  }
  if (onHold && isAccount(accountKeys, row.bank_pending, bank)) return
  const now = new Date()
  assignRow(row, {
    bank_pending: sealAccount(accountKeys, bank),
    bank_requested_by: userId(caller),
    bank_effective_at: new Date(now.getTime() + bankHoldMs),
    updated_at: now,
  })
  emit('settlement_config.bank_change_requested', { ...row, bank_pending: shownPending(row) })
}

type Approval = BodyOf<typeof bankChangeOperations.approve>

/**
 * Puts the bank account that the approver saw on hold into effect. 403 for the user who asked for it
 * and for users younger than the hold, 409 if another change has replaced it.
 */
export function approveBankChange(
  { db, bankHoldMs }: { db: Database } & BankHold,
  caller: Caller,
  id: Id<'stc'>,
  { effective_at }: Approval,
): Promise<SettlementConfigRow> {
  return db.write(async (tx, emit) => {
    const row = await lockPending(tx, caller, id)
    requireApprover(row, caller, bankHoldMs)
    if (row.bank_effective_at?.getTime() !== effective_at.getTime())
      throw new ApiError('conflict', 'another change of the bank account has replaced this one')
    applyBankChange(emit, row)
    return row
  })
}

/**
 * Who asks for a change could create a second user to approve it, or take one over by a setup token. Users and their credentials
 * have to be older than the hold, so that this takes no less time than waiting for its end.
 */
function requireApprover(row: SettlementConfigRow, caller: Caller, bankHoldMs: number): void {
  if (row.bank_requested_by === userId(caller))
    throw new ApiError('forbidden', 'another user has to approve the change')
  if (!isOlderThan(caller, bankHoldMs))
    throw new ApiError('forbidden', 'a user can approve changes once it and its credentials are older than the hold')
}

/** Drops a bank account that is on hold. */
export function cancelBankChange(db: Database, caller: Caller, id: Id<'stc'>): Promise<SettlementConfigRow> {
  return db.write(async (tx, emit) => {
    const row = await lockPending(tx, caller, id)
    endBankChange(emit, row)
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
    for (const row of rows) applyBankChange(emit, row)
    return rows.length === batchSize
  })
}

async function lockPending(tx: Tx, caller: Caller, id: Id<'stc'>): Promise<SettlementConfigRow> {
  const row = await getRow(tx, SettlementConfigEntity, caller, id, { lock: true })
  if (row.bank_effective_at === null) throw new ApiError('conflict', 'no change of the bank account is on hold')
  return row
}

function applyBankChange(emit: Emit, row: SettlementConfigRow): void {
  const bank = row.bank_pending
  const changes = maskChanges(changedFields(row, { bank }))
  assignRow(row, { ...noChange, bank, updated_at: new Date() })
  emit('settlement_config.updated', { ...row, changes })
}

/** Drops the change that is on hold. */
export function endBankChange(emit: Emit, row: SettlementConfigRow): void {
  const bank_pending = shownPending(row)
  assignRow(row, { ...noChange, updated_at: new Date() })
  emit('settlement_config.bank_change_cancelled', { ...row, bank_pending })
}
