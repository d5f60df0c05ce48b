import type { TransportOptions } from './options.ts'
import type { Transport } from './send.ts'
import { version } from './version.ts'

/** Returns how a client sends its calls. Throws a `TypeError` for options that cannot work. */
export function checkedTransport(options: TransportOptions, authorize: Transport['authorize']): Transport {
  const url = URL.canParse(options.baseUrl) ? new URL(options.baseUrl) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || /[?#]/.test(url.href)) {
    throw new TypeError('baseUrl has to be the address of a deployment, such as https://pay.example.com.')
  }
  const { headers } = options
  const baseUrl = `${url.origin}${url.pathname}`.replace(/\/+$/, '')
  return {
    ...options,
    baseUrl,
    headers: () => ({ 'user-agent': `cobro-sdk/${version}`, ...lowerCased(headers?.()) }),
    authorize,
  }
}

function lowerCased(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
