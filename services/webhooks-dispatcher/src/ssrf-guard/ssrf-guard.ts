import { isIPv6, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { isLocalHost, isPublicAddress, isRefusedPort } from '../webhooks/webhook-url-rules.ts'
import type { ResolveName } from './resolve-name.ts'

/** Says that a name leads, now, to an address that webhooks are not sent to. Nothing was connected. */
class AddressRefused extends Error {
  readonly code = 'ADDRESS_REFUSED'

  constructor(hostname: string) {
    super(`${hostname} is not a public address`)
    this.name = 'AddressRefused'
  }
}

/** Says that a name has no address. */
class NameUnknown extends Error {
  readonly code = 'NAME_UNKNOWN'

  constructor(hostname: string, cause: unknown) {
    super(`${hostname} has no address`, { cause })
    this.name = 'NameUnknown'
  }
}

/**
 * Connects to public addresses alone. The addresses that are judged are the very ones that are then connected to, so a name
 * that answers differently the second time gains nothing. One bad address among several refuses the name.
 */
export function publicConnector(resolve: ResolveName, timeoutMs: number): buildConnector.connector {
  const connect = buildConnector({ timeout: timeoutMs, allowH2: false, lookup: publicLookup(resolve) } as object)
  return (options, callback) => {
    // An address in place of a name is never looked up. The list of ports may have grown since the URL was saved.
    const refused = isLocalHost(options.hostname) || isRefusedPort(options.port)
    if (refused) callback(new AddressRefused(options.hostname), null)
    else connect(options, callback)
  }
}

function publicLookup(resolve: ResolveName): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      addresses => {
        if (!addresses.every(isPublicAddress)) return callback(new AddressRefused(hostname), '')
        const found = addresses.map(address => ({ address, family: isIPv6(address) ? 6 : 4 }))
        const [first] = found
        if (options.all) callback(null, found)
        else callback(null, first?.address ?? '', first?.family)
      },
      error => callback(new NameUnknown(hostname, error), ''),
    )
  }
}
