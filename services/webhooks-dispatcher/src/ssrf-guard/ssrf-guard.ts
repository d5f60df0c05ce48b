import { isIPv6, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import type { ResolveHostname } from './resolve-hostname.ts'
import { isBlockedPort, isLocalHost, isPublicAddress } from './url-rules.ts'

/** A hostname currently resolves to an address that webhooks must not be sent to. No connection was made. */
class BlockedAddressError extends Error {
  readonly code = 'ADDRESS_REFUSED'

  constructor(hostname: string) {
    super(`${hostname} is not a public address`)
    this.name = 'BlockedAddressError'
  }
}

/** A hostname has no address. */
class UnknownHostnameError extends Error {
  readonly code = 'NAME_UNKNOWN'

  constructor(hostname: string, cause: unknown) {
    super(`${hostname} has no address`, { cause })
    this.name = 'UnknownHostnameError'
  }
}

/**
 * Returns a connector for public addresses only, as protection against server-side request forgery (SSRF). It checks the very
 * addresses that it then connects to, so DNS rebinding has no effect. One blocked address among several blocks the hostname.
 */
export function guardedConnector(resolve: ResolveHostname, timeoutMs: number): buildConnector.connector {
  const connect = buildConnector({ timeout: timeoutMs, allowH2: false, lookup: publicLookup(resolve) } as object)
  return (options, callback) => {
    // IP addresses are never looked up. The list of blocked ports may have grown since the URL was saved.
    const blocked = isLocalHost(options.hostname) || isBlockedPort(options.port)
    if (blocked) callback(new BlockedAddressError(options.hostname), null)
    else connect(options, callback)
  }
}

function publicLookup(resolve: ResolveHostname): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      addresses => {
        if (!addresses.every(isPublicAddress)) return callback(new BlockedAddressError(hostname), '')
        const found = addresses.map(address => ({ address, family: isIPv6(address) ? 6 : 4 }))
        const [first] = found
        if (options.all) callback(null, found)
        else callback(null, first?.address ?? '', first?.family)
      },
      error => callback(new UnknownHostnameError(hostname, error), ''),
    )
  }
}
