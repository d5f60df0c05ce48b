import type { ServiceName } from '@cobro/contracts'
import { type Dispatcher, Pool } from 'undici'

export type UpstreamName = Exclude<ServiceName, 'gateway'>
export type UpstreamUrls = Record<UpstreamName, string>

/** The services behind the gateway. */
export interface Upstreams {
  readonly names: readonly UpstreamName[]
  request(service: UpstreamName, options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData>
  close(): Promise<void>
}

const poolSettings = {
  // As many connections as there are calls. With a bound, so many clients who are slow with their bodies, or who listen to an
  // event stream, would keep all others from the service, who would wait in line without a limit.
  connections: null,
  connect: { timeout: 900 },
  bodyTimeout: 60_000,
  // The services keep idle connections for 65 s: ours end first, so that no request meets one that is closing.
  keepAliveTimeout: 30_000,
  keepAliveMaxTimeout: 60_000,
} as const

/** Opens a pool of kept connections for each service. A service that takes no connection fails its calls within a second. */
export function openUpstreams({ urls, timeoutMs }: { urls: UpstreamUrls; timeoutMs: number }): Upstreams {
  const names = Object.keys(urls) as UpstreamName[]
  const pools = Object.fromEntries(
    names.map(name => [name, new Pool(new URL(urls[name]).origin, { ...poolSettings, headersTimeout: timeoutMs })]),
  ) as Record<UpstreamName, Pool>
  return {
    names,
    request: (service, options) => pools[service].request(options),
    close: async () => void (await Promise.all(names.map(name => pools[name].close()))),
  }
}
