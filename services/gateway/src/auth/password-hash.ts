import { hash, verify } from '@node-rs/argon2'
import { atMost } from './take-turns.ts'

/** Argon2id, which is the library's default, with OWASP's numbers: 19 MiB, two passes, one lane. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Each takes a thread of those that also write the spool, so that a flood of logins leaves half of them alone. */
const inTurn = atMost(2)

/** Hashes a password for storage. */
export function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(password, cost))
}

let decoy: Promise<string> | undefined

/** Compares a password with a stored hash. Without a hash it takes as long and says no, so that nobody learns who has an account. */
export async function isPassword(stored: string | null | undefined, password: string): Promise<boolean> {
  decoy ??= hashPassword('')
  const compared = stored ?? (await decoy)
  const same = await inTurn(() => verify(compared, password))
  return same && stored !== null && stored !== undefined
}
