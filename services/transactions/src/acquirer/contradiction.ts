import { ApiError } from '@cobro/contracts'

/**
 * A report of the acquirer that contradicts what is stored, thrown before anything is changed.
 * Its notification is stored all the same; a command with such a reply is dead-lettered. A person has to ask the acquirer.
 */
export class Contradiction extends Error {
  override readonly name = 'Contradiction'
}

const repeatedForMs = 3_600_000

/**
 * Returns the error for a notification that does not fit what is stored, but may fit once more is known. It is a 503, which makes
 * the acquirer repeat it, until an hour after both `sentAt` and `storedAt`.
 */
export function notYet(reason: string, { sentAt, storedAt }: { sentAt: Date; storedAt: Date }): Error {
  const since = Math.max(sentAt.getTime(), storedAt.getTime())
  return Date.now() - since > repeatedForMs ? new Contradiction(reason) : new ApiError('unavailable', reason)
}
