import { hash, randomBytes } from 'node:crypto'
import ipaddr from 'ipaddr.js'

const networkBytes = 8

/** At about 430 bytes per bucket, a rate limit by address uses 28 MB at most. */
export const addressBuckets = 2 ** 16
const salt = randomBytes(16).toString('hex')

/** Returns what counts as one client: an IPv4 address, or an IPv6 /64, usually one customer's. */
export function addressGroup(address: string | null): string {
  if (address === null) return 'unknown'
  // Skips parsing of IPv4 addresses, which would double the cost.
  if (!address.includes(':')) return address
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  const network = parsed.toByteArray().fill(0, networkBytes)
  return `${ipaddr.fromByteArray(network)}/64`
}

/**
 * Returns the rate limit bucket of an address. Addresses are hashed to a fixed number of buckets,
 * because counting each address would need unbounded memory. About 15 of 1,000 concurrent addresses share a bucket and
 * therefore a limit. The hash is salted, so that no one can choose an address that shares another's bucket.
 */
export function addressBucket(address: string | null): string {
  return String(hash('sha256', salt + addressGroup(address), 'buffer').readUInt32LE() % addressBuckets)
}
