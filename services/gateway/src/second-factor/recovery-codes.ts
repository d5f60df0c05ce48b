import { createHash, randomInt } from 'node:crypto'

const count = 10
/** Without letters that are mistaken for digits. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'
const length = 12

/** Returns ten codes of 59 random bits, such as `k7pm-q2xr-8hwd`, each for one login without the app. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: count }, () => {
    const letters = Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
    return letters.replace(/(.{4})(?=.)/g, '$1-')
  })
}

/** Hashes a code for storage, however its letters were typed. Random codes need no salt and no slow hash. */
export function recoveryCodeHash(code: string): string {
  return createHash('sha256')
    .update(code.toLowerCase().replace(/[^a-z0-9]/g, ''))
    .digest('hex')
}
