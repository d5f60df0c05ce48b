import { ApiError, type Id } from '@cobro/contracts'
import { assignRow, type Database, newRow, seal, type Tx } from '@cobro/database'
import type { KeyRing } from '@cobro/runtime'
import { LockMode } from '@mikro-orm/postgresql'
import { UserEntity, type UserRow } from '../users/user-entity.ts'
import { useTotp } from './check-code.ts'
import { RecoveryCodeEntity, SecondFactorEntity } from './factor-entities.ts'
import { newRecoveryCodes, recoveryCodeHash } from './recovery-codes.ts'
import { newTotpSecret, totpUri } from './totp.ts'

interface FactorDeps {
  db: Database
  encryptionKeys: KeyRing
}

type Owner = Pick<UserRow, 'id' | 'email'>

/** Returns whether a user has a second factor, since when, and how many recovery codes are left. */
export function readFactor(db: Database, user_id: Id<'usr'>) {
  return db.read(async em => {
    const factor = await em.findOne(SecondFactorEntity, { user_id, confirmed_at: { $ne: null } })
    const recovery_codes_left = await em.count(RecoveryCodeEntity, { user_id, used_at: null })
    return { enabled: factor !== null, enabled_at: factor?.confirmed_at ?? null, recovery_codes_left }
  })
}

/**
 * Creates a secret for a user's app. It replaces one that was not confirmed; a confirmed one has to be removed first. It does
 * not count before a code of the app confirms it.
 */
export function setUpFactor({ db, encryptionKeys }: FactorDeps, user: Owner) {
  const secret = newTotpSecret()
  return db.write(async tx => {
    await lockUser(tx, user.id)
    const factor = await tx.findOne(SecondFactorEntity, { user_id: user.id })
    if (factor?.confirmed_at) throw new ApiError('conflict', 'the user has a second factor: remove it first')
    const fresh = { secret_sealed: seal(encryptionKeys, secret), last_step: 0, created_at: new Date() }
    if (factor) assignRow(factor, fresh)
    else newRow(tx, SecondFactorEntity, { user_id: user.id, ...fresh, confirmed_at: null })
    await tx.flush()
    return { secret, uri: totpUri(user.email, secret) }
  })
}

/**
 * Confirms a user's second factor with a code of its app, and returns its recovery codes, which are shown once. Returns
 * undefined for a wrong code. Throws a 409 if there is nothing to confirm.
 */
export async function confirmFactor(tx: Tx, keys: KeyRing, user_id: Id<'usr'>, code: string) {
  await lockUser(tx, user_id)
  const pending = await tx.findOne(SecondFactorEntity, { user_id, confirmed_at: null })
  if (!pending) throw new ApiError('conflict', 'there is no second factor to confirm: set one up first')
  if (!(await useTotp(tx, keys, user_id, code))) return undefined
  pending.confirmed_at = new Date()
  const codes = newRecoveryCodes()
  await tx.nativeDelete(RecoveryCodeEntity, { user_id })
  for (const one of codes) newRow(tx, RecoveryCodeEntity, { code_hash: recoveryCodeHash(one), user_id, used_at: null })
  return codes
}

/** Lets one change of a user's second factor wait for another. */
async function lockUser(tx: Tx, id: Id<'usr'>): Promise<void> {
  await tx.findOne(UserEntity, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
}

/** Removes a user's second factor and recovery codes. Returns whether it had one. */
export async function removeFactor(tx: Tx, user_id: Id<'usr'>): Promise<boolean> {
  await tx.nativeDelete(RecoveryCodeEntity, { user_id })
  return (await tx.nativeDelete(SecondFactorEntity, { user_id })) > 0
}
