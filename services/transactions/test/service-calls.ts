import type { Caller } from '@cobro/contracts'

interface Service {
  url: string
  headers: (caller: Caller) => Promise<Record<string, string>>
}

/** Returns a function that calls a service with JSON, read at each call as it starts later. */
export function serviceCalls(service: () => Service) {
  return async (caller: Caller, method: string, path: string, body?: object, more: Record<string, string> = {}) => {
    const { url, headers } = service()
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...(await headers(caller)), ...(body ? { 'content-type': 'application/json' } : {}), ...more },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    return { status: response.status, body: (await response.json()) as any }
  }
}
