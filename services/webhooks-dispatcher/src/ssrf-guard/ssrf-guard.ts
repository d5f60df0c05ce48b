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
  const connect = buildConnector({ timeout: timeoutMs, allowH2: false, lookup: publicLookup(resolve) } as object)
  return (options, callback) => {
    // IP addresses are never looked up. The list of blocked ports may have grown since the URL was saved.
    const blocked = isLocalHost(options.hostname) || isBlockedPort(options.port)
    if (blocked) callback(blockedAddress(options.hostname), null)
    else connect(options, callback)
  }
}

function publicLookup(resolve: ResolveHostname): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      addresses => {
        if (!addresses.every(isPublicAddress)) return callback(blockedAddress(hostname), '')
        const found = addresses.map(address => ({ address, family: isIPv6(address) ? 6 : 4 }))
        const [first] = found
        if (options.all) callback(null, found)
        else callback(null, first?.address ?? '', first?.family)
      },
      error => callback(unknownHostname(hostname, error), ''),
    )
  }
}
