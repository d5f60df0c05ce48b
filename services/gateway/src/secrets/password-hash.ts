import { hash, verify } from '@node-rs/argon2'
import pLimit from 'p-limit'

/** Argon2id (the library's default) with OWASP's parameters: 19 MiB, two passes, one thread. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Limits hashing to 2 of 4 pool threads, so that a flood of logins leaves two for spool syncs. */
const limit = pLimit(2)

export function hashPassword(password: string): Promise<string> {
  return limit(() => hash(password, cost))
}

let decoy: Promise<string> | undefined

/**
 * Compares a password with a stored hash. Without a hash it takes as long and returns false, so
 * response times do not reveal which accounts exist.
 */
export async function isPassword(stored: string | null | undefined, password: string): Promise<boolean> {
  decoy ??= hashPassword('').catch(error => {
    decoy = undefined
    throw error
  })
  // Awaited only without a hash.
  decoy.catch(() => undefined)
  const compared = stored ?? (await decoy)
  const same = await limit(() => verify(compared, password))
  return same && stored !== null && stored !== undefined
}
