import type { TransportOptions } from './options.ts'
import type { Transport } from './send.ts'
import { version } from './version.ts'

/** Returns how a client sends its calls. Throws a `TypeError` for options that cannot work. */
export function checkedTransport(options: TransportOptions, authorize: Transport['authorize']): Transport {
  const url = URL.canParse(options.baseUrl) ? new URL(options.baseUrl) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash) {
    throw new TypeError('baseUrl has to be the address of a deployment, such as https://pay.example.com.')
  }
  for (const name of ['timeoutMs', 'deadlineMs'] as const) {
    const value = options[name]
    if (value !== undefined && !(value > 0)) throw new TypeError(`${name} has to be above 0.`)
  }
  const { headers } = options
  return { ...options, headers: () => ({ 'user-agent': `cobro-sdk/${version}`, ...headers?.() }), authorize }
}
