import { Resolver } from 'node:dns/promises'

/** Gives every address of a name, or fails where it has none. */
export type ResolveName = (hostname: string) => Promise<string[]>

const tryMs = 1_000
const tries = 2

/**
 * Resolves by DNS alone, without the operating system's resolver: that one occupies one of the process's four worker
 * threads until it is done, so a few names whose servers never answer would hold up every other delivery.
 */
export function openResolver(): ResolveName {
  const resolver = new Resolver({ timeout: tryMs, tries })
  return async hostname => {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const addresses = answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length > 0) return addresses
    throw new Error(`${hostname} has no address`, {
      cause: answers.find(answer => answer.status === 'rejected')?.reason,
    })
  }
}
