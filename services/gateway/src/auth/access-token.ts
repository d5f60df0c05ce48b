import { randomUUID } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
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

export async function issueAccessToken(
  { keys, issuer }: TokenSettings,
  user: Pick<UserRow, 'id' | 'role' | 'merchant_id' | 'merchants'>,
): Promise<string> {
  const { kid, key } = await keys.current()
  const scope = user.role === 'client' ? { merchant_id: user.merchant_id } : { merchants: user.merchants }
  return new SignJWT({ role: user.role, ...scope })
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
 * Returns the id of the user that a token was issued to, or undefined if the token is invalid. Only
 * this deployment's own signing keys are trusted; `jku` and similar header fields are ignored.
 */
export async function verifyAccessToken({ keys, issuer }: TokenSettings, token: string): Promise<string | undefined> {
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
    return payload.sub
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}
