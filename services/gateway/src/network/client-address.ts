import ipaddr from 'ipaddr.js'
import { type IpRange, isInRanges } from './ip-ranges.ts'

/**
 * The address of the client: of the hops that a call came over (the socket's own end, then `X-Forwarded-For` from the
 * right), the first that is not a proxy of ours. What stands left of it anybody may have written.
 */
export function clientAddress(
  trusted: readonly IpRange[],
  { socket, forwardedFor = '' }: { socket: string | undefined; forwardedFor?: string | undefined },
): string | null {
  let client = plainAddress(socket)
  if (client === null || trusted.length === 0) return client
  for (const hop of forwardedFor.split(',').toReversed()) {
    const address = plainAddress(hop.trim())
    if (address === null || !isInRanges(trusted, client)) return client
    client = address
  }
  return client
}

/** An IPv4 address that came over IPv6 is written as IPv4. Null for what is no address. */
function plainAddress(text = ''): string | null {
  return ipaddr.isValid(text) ? ipaddr.process(text).toString() : null
}
