import ipaddr from 'ipaddr.js'

/** Addresses of a network, as ipaddr.js parses a CIDR. */
export type IpRange = ReturnType<typeof ipaddr.parseCIDR>

const mappedPrefixBits = 96

/** Reads a CIDR. IPv4 that is written as IPv6 (`::ffff:10.0.0.0/104`) becomes IPv4, as addresses of clients do. */
export function parseIpRange(cidr: string): IpRange {
  const [address, bits] = ipaddr.parseCIDR(cidr)
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= mappedPrefixBits) {
    return [address.toIPv4Address(), bits - mappedPrefixBits]
  }
  return [address, bits] as IpRange
}

/** Tells whether an address, as `clientAddress` writes it, lies in one of the ranges. */
export function isInRanges(ranges: readonly IpRange[], text: string): boolean {
  const address = ipaddr.parse(text)
  return ranges.some(range => address.kind() === range[0].kind() && address.match(range))
}
