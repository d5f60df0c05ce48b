import { hash, randomBytes } from 'node:crypto'
import ipaddr from 'ipaddr.js'

const networkBytes = 8

/** At some 430 bytes each, a limit of addresses takes up 28 MB at most, however many of them call. */
export const addressBuckets = 2 ** 16
const salt = randomBytes(16).toString('hex')

/** What counts as one address: an IPv4 address, or the /64 that one IPv6 customer has all to itself. */
export function addressGroup(address: string | null): string {
  if (address === null) return 'unknown'
  // An IPv4 address needs no parsing, which would double the cost.
  if (!address.includes(':')) return address
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  const network = parsed.toByteArray().fill(0, networkBytes)
  return `${ipaddr.fromByteArray(network)}/64`
}

/**
 * Under what an address is counted: one of so many buckets, since there are more addresses than memory. Where two meet in one,
 * as some fifteen of a thousand that call at the same time do, they share a limit that is wide enough for a whole office. Nobody
 * outside can know who meets whom.
 */
export function addressBucket(address: string | null): string {
  return String(hash('sha256', salt + addressGroup(address), 'buffer').readUInt32LE() % addressBuckets)
}
