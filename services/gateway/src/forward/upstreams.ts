import type { ServiceName } from '@cobro/contracts'
import { type Dispatcher, Pool } from 'undici'

export type UpstreamName = Exclude<ServiceName, 'gateway'>
export type UpstreamUrls = Record<UpstreamName, string>

export interface Upstreams {
  readonly names: readonly UpstreamName[]
  request(service: UpstreamName, options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData>
  dispatch(service: UpstreamName, options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void
  close(): Promise<void>
}

const poolSettings = {
  // Unlimited: with a limit, clients with slow bodies or open event streams could occupy every connection, and other
  // calls would wait without a timeout.
  connections: null,
  connect: { timeout: 900 },
  bodyTimeout: 60_000,
  // Shorter than a stopping service drains, longer than the interval of the health checks, which keep one connection open.
  keepAliveMaxTimeout: 4_000,
  keepAliveTimeoutThreshold: 500,
} as const

/** Opens a pool per service. Calls of a service that accepts no connection fail within a second. */
export function openUpstreams({ urls, timeoutMs }: { urls: UpstreamUrls; timeoutMs: number }): Upstreams {
  const names = Object.keys(urls) as UpstreamName[]
  const pools = Object.fromEntries(
    names.map(name => [name, new Pool(new URL(urls[name]).origin, { ...poolSettings, headersTimeout: timeoutMs })]),
  ) as Record<UpstreamName, Pool>
  return {
    names,
    request: (service, options) => pools[service].request(options),
    dispatch: (service, options, handler) => void pools[service].dispatch(options, handler),
    close: async () => void (await Promise.all(names.map(name => pools[name].close()))),
  }
}
