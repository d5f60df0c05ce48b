import type { Caller } from '@cobro/contracts'

interface Service {
  url: string
  headers: (caller: Caller) => Promise<Record<string, string>>
}

/** Calls of a service by any caller, with JSON in and out. The service is asked for at each call: it starts after this. */
export function serviceCalls(service: () => Service) {
  return async (caller: Caller, method: string, path: string, body?: object) => {
    const { url, headers } = service()
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...(await headers(caller)), ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    return { status: response.status, body: (await response.json()) as any }
  }
}
