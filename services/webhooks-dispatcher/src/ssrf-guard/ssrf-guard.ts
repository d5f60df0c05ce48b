import { isIPv6, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import type { ResolveHostname } from './resolve-hostname.ts'
import { isBlockedPort, isLocalHost, isPublicAddress } from './url-rules.ts'

/** An error for a hostname that resolves to a forbidden address. No connection was made. */
const blockedAddress = (hostname: string) =>
  Object.assign(new Error(`${hostname} is not a public address`), { code: 'ADDRESS_REFUSED' })

const unknownHostname = (hostname: string, cause: unknown) =>
  Object.assign(new Error(`${hostname} has no address`, { cause }), { code: 'NAME_UNKNOWN' })

/**
 * Returns a connector for public addresses only, against server-side request forgery (SSRF).
 * DNS rebinding has no effect: it connects to the addresses it checked. One blocked address blocks the whole hostname.
 */
export function guardedConnector(resolve: ResolveHostname, timeoutMs: number): buildConnector.connector {
  // With `autoSelectFamily` Node looks up all addresses, and connects to the first that answers.
  const options = { timeout: timeoutMs, allowH2: false, autoSelectFamily: true, lookup: publicLookup(resolve) }
  const connect = buildConnector(options as object)
  return (options, callback) => {
    // IP addresses are never looked up. The list of blocked ports may have grown since the URL was saved.
    const blocked = isLocalHost(options.hostname) || isBlockedPort(options.port)
    if (blocked) callback(blockedAddress(options.hostname), null)
    else connect(options, callback)
  }
}

/** Returns a lookup of all addresses that fails for a hostname with an address that is not public. */
export function publicLookup(resolve: ResolveHostname): LookupFunction {
  return (hostname, _options, callback) => {
    resolve(hostname).then(
      addresses => {
        if (addresses.every(isPublicAddress))
          callback(
            null,
            addresses.map(address => ({ address, family: isIPv6(address) ? 6 : 4 })),
          )
        else callback(blockedAddress(hostname), '')
      },
      error => callback(unknownHostname(hostname, error), ''),
    )
  }
}
