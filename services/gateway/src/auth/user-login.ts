import type { authOperations, ResponseOf } from '@cobro/contracts'
import type { Database, Reader } from '@cobro/database'
import { currentCall, type KeyRing, withCallContext } from '@cobro/runtime'
import type { MailOutbox } from '../mail/mail-outbox.ts'
import { MerchantEntity } from '../merchants/gateway-merchant-entity.ts'
import type { BrowserLimits, RefreshToken } from '../refresh-tokens/refresh-tokens.ts'
import type { UserRow } from '../users/user-entity.ts'
import { accessTokenSeconds, issueAccessToken, type TokenSettings } from './access-token.ts'
import { issueDeviceToken } from './device-token.ts'

export interface LoginDeps {
  db: Database
  tokens: TokenSettings
  /** The keys that encrypt the secrets of second factors. */
  encryptionKeys: KeyRing
  mfa: MfaPolicy
  mails: MailOutbox
}

/** What a login is asked for with. */
export interface LoginOrigin {
  /** The caller's network; null if its address is not known. */
  address: string | null
  /** The limits of browsers, if the login keeps its refresh token in a cookie. */
  browser?: BrowserLimits | undefined
}

/** Who has to have a second factor. */
export type MfaPolicy = 'optional' | 'operators' | 'all'

/** Returns whether the user and its merchant are active. */
export async function canLogIn(em: Reader, { status, merchant_id }: UserRow): Promise<boolean> {
  if (status !== 'active') return false
  return !merchant_id || (await em.count(MerchantEntity, { id: merchant_id, status: 'active' })) === 1
}

/** Runs `work` with the user as the actor, because the call itself came without a credential. */
export function runAsUser<T>(user: UserRow, work: () => T): T {
  const { id, role, merchant_id } = user
  return withCallContext({ ...currentCall(), actor: { type: role, id }, merchant_id }, work)
}

/** The response body of a login or refresh, and when the login ends in any case. */
export type Login = ResponseOf<typeof authOperations.login> & Pick<RefreshToken, 'ends_at'>

export async function loginResponse({ tokens }: LoginDeps, user: UserRow, refresh: RefreshToken): Promise<Login> {
  return {
    token: await issueAccessToken(tokens, user, refresh),
    token_type: 'Bearer',
    expires_in: accessTokenSeconds,
    refresh_token: refresh.token,
    device_token: await issueDeviceToken(user, refresh.family_id),
    user,
    ends_at: refresh.ends_at,
  }
}
