import ipaddr from 'ipaddr.js'

/** A CIDR as ipaddr.js parses it. */
export type IpRange = ReturnType<typeof ipaddr.parseCIDR>

const mappedPrefixBits = 96

/** Parses a CIDR. IPv4-mapped ranges (`::ffff:10.0.0.0/104`) become IPv4, as addresses do. */
export function parseIpRange(cidr: string): IpRange {
  const [address, bits] = ipaddr.parseCIDR(cidr)
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= mappedPrefixBits) {
    return [address.toIPv4Address(), bits - mappedPrefixBits]
  }
  return [address, bits] as IpRange
}

/** Returns whether an address, in the form of `clientAddress`, is in one of the ranges. */
export function isInRanges(ranges: readonly IpRange[], text: string): boolean {
  const address = ipaddr.parse(text)
  return ranges.some(range => address.kind() === range[0].kind() && address.match(range))
}
