import { decodeJwt, errors, jwtVerify, SignJWT } from 'jose'
import type { UserRow } from '../users/user-entity.ts'

type TokenUser = Pick<UserRow, 'id' | 'password_hash'>

const alg = 'HS256'
const typ = 'mfa+jwt'
const lifetime = '5 minutes'

/**
 * Signs a token that says that the user's password was right, for five minutes. The key is the password hash, as for device
 * tokens: nothing is stored, and a new password ends it. It proves nothing without a code.
 */
export function issueMfaToken(user: TokenUser): Promise<string> {
  return new SignJWT()
    .setProtectedHeader({ alg, typ })
    .setSubject(user.id)
    .setIssuedAt()
    .setExpirationTime(lifetime)
    .sign(keyOf(user))
}

/** Returns the user that a token names, before it is verified; undefined if it names none. */
export function subjectOf(token: string): string | undefined {
  try {
    return decodeJwt(token).sub
  } catch {
    return undefined
  }
}

/** Returns whether a token is one of this user and has not expired. */
export async function isMfaToken(user: TokenUser, token: string): Promise<boolean> {
  try {
    await jwtVerify(token, keyOf(user), { algorithms: [alg], typ, subject: user.id })
    return true
  } catch (error) {
    if (error instanceof errors.JOSEError) return false
    throw error
  }
}

function keyOf({ password_hash }: TokenUser): Uint8Array {
  if (!password_hash) throw new Error('A user without a password has no login.')
  return new TextEncoder().encode(password_hash)
}
