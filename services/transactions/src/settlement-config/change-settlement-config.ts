import { ApiError, type BodyOf, type Caller, type Id, newId, settlementConfigs } from '@cobro/contracts'
import {
  assignRow,
  changedFields,
  type Database,
  getRow,
  merchantOf,
  newRow,
  violatesConstraint,
} from '@cobro/database'
import type { KeyRing } from '@cobro/runtime'
import { endBankChange, requestBankChange } from './bank-changes.ts'
import { isAccount, sealAccount } from './sealed-account.ts'
import { SettlementConfigEntity, type SettlementConfigRow } from './settlement-config-entity.ts'
import { maskChanges } from './shown-settlement-config.ts'

export interface SettlementConfigDeps {
  db: Database
  /** How long a new bank account waits until it takes effect. */
  bankHoldMs: number
  /** Encrypts account numbers with the first key. */
  accountKeys: KeyRing
}

type Create = BodyOf<typeof settlementConfigs.operations.create>
type Update = BodyOf<typeof settlementConfigs.operations.update>

/** Creates a settlement configuration. Its bank account is on hold like any other change of it. */
export function createSettlementConfig(
  { db, bankHoldMs, accountKeys }: SettlementConfigDeps,
  caller: Caller,
  input: Create,
) {
  return withApiErrors(
    db.write(async (tx, emit) => {
      const { bank = null, ...terms } = input
      const own = { id: newId(settlementConfigs.prefix), merchant_id: merchantOf(caller) }
      const row = newRow(tx, SettlementConfigEntity, {
        ...terms,
        ...own,
        bank: bankHoldMs === 0 ? sealAccount(accountKeys, bank) : null,
      })
      emit('settlement_config.created', row)
      if (bankHoldMs > 0) requestBankChange({ emit, bankHoldMs, accountKeys }, caller, row, bank)
      return row
    }),
  )
}

/** Changes a settlement configuration. A new bank account takes effect after the hold, if there is one. */
export function updateSettlementConfig(
  { db, bankHoldMs, accountKeys }: SettlementConfigDeps,
  caller: Caller,
  id: Id<'stc'>,
  input: Update,
): Promise<SettlementConfigRow> {
  return withApiErrors(
    db.write(async (tx, emit) => {
      // The 404 and 403 for the row itself come before the 403 for the changed fields.
      const row = await getRow(tx, SettlementConfigEntity, caller, id, { lock: true })
      requireAllowedFields(caller, input)
      const { bank, ...terms } = input
      const isNew = bank !== undefined && !isAccount(accountKeys, row.bank, bank)
      const direct = bankHoldMs === 0 && isNew ? { ...terms, bank: sealAccount(accountKeys, bank) } : terms
      const changes = changedFields(row, direct)
      if (Object.keys(changes).length > 0) {
        assignRow(row, direct)
        emit('settlement_config.updated', { ...row, changes: maskChanges(changes) })
      }
      if (bank === undefined) return row
      if (bankHoldMs > 0) requestBankChange({ emit, bankHoldMs, accountKeys }, caller, row, bank)
      // A change from before the hold was set to 0 must not replace this account later.
      else if (row.bank_effective_at !== null) endBankChange(emit, row)
      return row
    }),
  )
}

/** A merchant may change its own bank account, but not when and how much it is paid. */
function requireAllowedFields(caller: Caller, input: object): void {
  if (caller.kind !== 'operator' && Object.keys(input).some(name => name !== 'bank')) throw new ApiError('forbidden')
}

function withApiErrors<T>(written: Promise<T>): Promise<T> {
  return written.catch(error => {
    throw apiErrorOf(error) ?? error
  })
}

function apiErrorOf(error: unknown): ApiError | undefined {
  if (violatesConstraint(error, 'settlement_configs_active'))
    return new ApiError('conflict', 'active: another settlement configuration of this currency is active')
  if (violatesConstraint(error, 'settlement_configs_day'))
    return new ApiError('invalid_request', 'frequency: weekly needs weekday, monthly needs month_day')
  return undefined
}
