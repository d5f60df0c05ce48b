import { Resolver } from 'node:dns/promises'
import { setTimeout as pause } from 'node:timers/promises'

/** Returns every address of a hostname. Fails if it has none. */
export type ResolveHostname = (hostname: string) => Promise<string[]>

const tryMs = 1_000
const tries = 2
/** The wait for IPv6 after IPv4 was answered, or the reverse: some servers never answer IPv6. */
const graceMs = 250

/**
 * Returns a resolver that uses DNS only. The resolver of the operating system occupies one of the
 * four worker threads of the process until it is done, so a few hostnames whose servers never answer would block all
 * other deliveries. Addresses that arrive too late are ignored. `servers` replaces the name servers of the machine.
 */
export function openHostnameResolver(servers?: string[]): ResolveHostname {
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
    const results = await all
    throw new Error(`${hostname} has no address`, {
      cause: results.find(result => result.status === 'rejected')?.reason,
    })
  }
}
