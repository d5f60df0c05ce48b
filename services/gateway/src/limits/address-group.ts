import ipaddr from 'ipaddr.js'

const networkBytes = 8

/** What counts as one address: an IPv4 address, or the /64 that one IPv6 customer has all to itself. */
export function addressGroup(address: string | null): string {
  if (address === null) return 'unknown'
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  const network = parsed.toByteArray().fill(0, networkBytes)
  return `${ipaddr.fromByteArray(network)}/64`
}
