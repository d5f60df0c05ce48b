import { randomUUID } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import type { LoginFamily, TokenLogin } from '../refresh-tokens/refresh-tokens.ts'
import { tokenAlgorithm } from '../signing-keys/signing-key-rows.ts'
import type { SigningKeys } from '../signing-keys/signing-keys.ts'
import type { UserRow } from '../users/user-entity.ts'

export interface TokenSettings {
  keys: SigningKeys
  /** The public URL of this deployment. */
  issuer: string
}

/** Lifetime of an access token in seconds. */
export const accessTokenSeconds = 900

const audience = 'cobro'
const typ = 'at+jwt'
const clockToleranceSeconds = 5

/** Signs an access token of a login, which ends with the family of the login's refresh tokens. */
export async function issueAccessToken(
  { keys, issuer }: TokenSettings,
  user: Pick<UserRow, 'id' | 'role' | 'access' | 'merchant_id' | 'merchants'>,
  { family_id, authenticated_at }: LoginFamily,
): Promise<string> {
  const { kid, key } = await keys.current()
  const auth_time = Math.floor(authenticated_at.getTime() / 1000)
  const scope = user.role === 'client' ? { merchant_id: user.merchant_id } : { merchants: user.merchants }
  return new SignJWT({ role: user.role, access: user.access, ...scope, sid: family_id, auth_time })
    .setProtectedHeader({ alg: tokenAlgorithm, typ, kid })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(user.id)
    .setJti(randomUUID())
    .setIssuedAt()
    .setNotBefore('0s')
    .setExpirationTime(`${accessTokenSeconds}s`)
    .sign(key)
}

/**
 * Returns the login that a token was issued for, or undefined if the token is invalid. Only this
 * deployment's own signing keys are trusted; `jku` and similar header fields are ignored. Does not check whether the
 * login has ended.
 */
export async function verifyAccessToken(
  { keys, issuer }: TokenSettings,
  token: string,
): Promise<TokenLogin | undefined> {
  const keyOf = async ({ kid }: { kid?: string }) => {
    const key = typeof kid === 'string' ? await keys.find(kid) : undefined
    if (!key) throw new errors.JWKSNoMatchingKey()
    return key
  }
  try {
    const { payload } = await jwtVerify(token, keyOf, {
      algorithms: [tokenAlgorithm],
      issuer,
      audience,
      typ,
      clockTolerance: clockToleranceSeconds,
      requiredClaims: ['sub', 'role', 'iat', 'nbf', 'exp', 'jti'],
    })
    const { sub: user_id = '', sid, auth_time } = payload
    return {
      user_id,
      family_id: sid === undefined ? undefined : String(sid),
      // Tokens of the release before have none.
      auth_time: Number(auth_time ?? 0),
    }
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}
