import ipaddr from 'ipaddr.js'

/** Addresses of a network, as ipaddr.js parses a CIDR. */
export type AddressRange = ReturnType<typeof ipaddr.parseCIDR>

const mappedPrefixBits = 96

/** Reads a CIDR. IPv4 that is written as IPv6 (`::ffff:10.0.0.0/104`) becomes IPv4, as addresses of clients do. */
export function parseRange(cidr: string): AddressRange {
  const [address, bits] = ipaddr.parseCIDR(cidr)
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= mappedPrefixBits) {
    return [address.toIPv4Address(), bits - mappedPrefixBits]
  }
  return [address, bits] as AddressRange
}

/** Tells whether an address, as `clientAddress` writes it, lies in one of the ranges. */
export function isWithin(ranges: readonly AddressRange[], text: string): boolean {
  const address = ipaddr.parse(text)
  return ranges.some(range => address.kind() === range[0].kind() && address.match(range))
}
