import type { Id } from '@cobro/contracts'
import { type Reader, type Tx, unseal } from '@cobro/database'
import type { KeyRing } from '@cobro/runtime'
import { LockMode } from '@mikro-orm/postgresql'
import { RecoveryCodeEntity, SecondFactorEntity } from './factor-entities.ts'
import { recoveryCodeHash } from './recovery-codes.ts'
import { totpStep } from './totp.ts'

/** What proved a user: a code of the app, or a recovery code, which is used up. */
type Proof = 'totp' | 'recovery_code'

/** Returns whether a user has confirmed a second factor. */
export async function hasFactor(em: Reader, user_id: Id<'usr'>): Promise<boolean> {
  return (await em.count(SecondFactorEntity, { user_id, confirmed_at: { $ne: null } })) > 0
}

/**
 * Uses a code of a user's app or one of its recovery codes. Returns undefined if it is wrong or was used before. The lock lets
 * only one of two calls use the same code.
 */
export async function useCode(tx: Tx, keys: KeyRing, user_id: Id<'usr'>, code: string): Promise<Proof | undefined> {
  if (/^\d{6}$/.test(code)) return (await useTotp(tx, keys, user_id, code)) ? 'totp' : undefined
  const unused = { code_hash: recoveryCodeHash(code), user_id, used_at: null }
  const used = await tx.nativeUpdate(RecoveryCodeEntity, unused, { used_at: new Date() })
  return used > 0 ? 'recovery_code' : undefined
}

/** Uses a code of six digits, also of a factor that is not confirmed yet. */
export async function useTotp(tx: Tx, keys: KeyRing, user_id: Id<'usr'>, code: string): Promise<boolean> {
  const factor = await tx.findOne(SecondFactorEntity, { user_id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  const step = factor && (await totpStep(unseal(keys, factor.secret_sealed), code, factor.last_step))
  if (!factor || step === undefined || step === null) return false
  factor.last_step = step
  return true
}
