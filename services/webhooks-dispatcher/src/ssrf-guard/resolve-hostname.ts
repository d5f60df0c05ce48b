import { Resolver } from 'node:dns/promises'
import { setTimeout as pause } from 'node:timers/promises'

/** Gives every address of a name, or fails where it has none. */
export type ResolveName = (hostname: string) => Promise<string[]>

const tryMs = 1_000
const tries = 2
/** How long the other family of addresses is waited for once one has answered. Some name servers never say anything of IPv6. */
const graceMs = 250

/**
 * Resolves by DNS alone, without the operating system's resolver: that one occupies one of the process's four worker
 * threads until it is done, so a few names whose servers never answer would hold up every other delivery. What comes too late
 * is not connected to either. `servers` takes the place of the name servers that the machine is set up with.
 */
export function openResolver(servers?: string[]): ResolveName {
  const resolver = new Resolver({ timeout: tryMs, tries })
  if (servers) resolver.setServers(servers)
  return async hostname => {
    const found: string[] = []
    const families = [resolver.resolve4(hostname), resolver.resolve6(hostname)].map(async family => {
      found.push(...(await family))
    })
    const all = Promise.allSettled(families)
    const soon = Promise.any(families).then(
      () => pause(graceMs, undefined, { ref: false }),
      () => undefined,
    )
    await Promise.race([all, soon])
    if (found.length > 0) return [...found]
    const answers = await all
    throw new Error(`${hostname} has no address`, {
      cause: answers.find(answer => answer.status === 'rejected')?.reason,
    })
  }
}
