import { randomBytes } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import type { UserRow } from '../users/user-entity.ts'

type DeviceUser = Pick<UserRow, 'id' | 'password_hash'>

const alg = 'HS256'
const typ = 'device+jwt'
/** How long a device is recognized after a login. */
export const deviceTokenMs = 90 * 86_400_000

/** For users that do not exist or have no password, so that checking their tokens takes as long. */
const decoy = randomBytes(32).toString('base64')

/**
 * Signs a token with which a device that logged in is recognized at its next login. The key is the
 * user's password hash: nothing is stored, and a new password or a deleted user ends all device tokens. An attacker
 * who reads the hash can guess the password offline, so forging tokens gains nothing.
 */
export function issueDeviceToken(user: DeviceUser, family_id: string): Promise<string> {
  return new SignJWT()
    .setProtectedHeader({ alg, typ })
    .setSubject(user.id)
    .setJti(family_id)
    .setIssuedAt()
    .setExpirationTime(new Date(Date.now() + deviceTokenMs))
    .sign(keyOf(user))
}

/** Returns the device of a token, or undefined if it is expired, malformed or not one of this user. */
export async function findDevice(user: DeviceUser | null, token: string): Promise<string | undefined> {
  try {
    const { payload } = await jwtVerify(token, keyOf(user), {
      algorithms: [alg],
      typ,
      ...(user && { subject: user.id }),
    })
    return `device ${payload.jti}`
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}

function keyOf(user: DeviceUser | null): Uint8Array {
  return new TextEncoder().encode(user?.password_hash ?? decoy)
}
