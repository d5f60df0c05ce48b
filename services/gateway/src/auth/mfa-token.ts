import { type Id, isId } from '@cobro/contracts'
import { decodeJwt, errors, jwtVerify, SignJWT } from 'jose'
import type { UserRow } from '../users/user-entity.ts'

type TokenUser = Pick<UserRow, 'id' | 'password_hash'>

const alg = 'HS256'
const typ = 'mfa+jwt'
const lifetime = '5 minutes'

/**
 * Signs a token that says that the user's password was right, for five minutes. The key is the password hash, as for device
 * tokens: nothing is stored, and a new password ends it. It proves nothing without a code. `device` is that of the login.
 */
export function issueMfaToken(user: TokenUser, device: string | undefined): Promise<string> {
  return new SignJWT(device === undefined ? {} : { device })
    .setProtectedHeader({ alg, typ })
    .setSubject(user.id)
    .setIssuedAt()
    .setExpirationTime(lifetime)
    .sign(keyOf(user))
}

/** Returns the user that a token names, before it is verified; undefined if it names none. Anyone can write anything there. */
export function subjectOf(token: string): Id<'usr'> | undefined {
  try {
    const sub: unknown = decodeJwt(token).sub
    return typeof sub === 'string' && isId('usr', sub) ? sub : undefined
  } catch {
    return undefined
  }
}

/** Returns the login of a token; undefined if it is not one of this user or has expired. */
export async function verifyMfaToken(
  user: TokenUser,
  token: string,
): Promise<{ device: string | undefined } | undefined> {
  try {
    const { payload } = await jwtVerify(token, keyOf(user), { algorithms: [alg], typ, subject: user.id })
    return { device: payload.device === undefined ? undefined : String(payload.device) }
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}

function keyOf({ password_hash }: TokenUser): Uint8Array {
  if (!password_hash) throw new Error('A user without a password has no login.')
  return new TextEncoder().encode(password_hash)
}
