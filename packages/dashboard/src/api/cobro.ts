import { AuthenticationError, type CobroAdmin, createCobroAdmin } from '@cobro/sdk/admin'
import { QueryClient } from '@tanstack/react-query'
import { session } from './browser-session.tsx'
import { isWorthRepeating } from './problems.ts'

/** Sends a call with the access token of the session. */
const withToken: typeof fetch = async (url, init) => {
  const headers = new Headers(init?.headers)
  headers.set('authorization', `Bearer ${await session.token()}`)
  return fetch(url, { ...init, headers })
}

/** The API, called as the user of this browser. Queries repeat what fails, so that the client does not. */
export const cobro: CobroAdmin = createCobroAdmin({ baseUrl: location.origin, fetch: withToken, maxRetries: 0 })

/** Returns the API for a scope of the address: a merchant's id, or `all`. */
export function cobroOf(scope: string): CobroAdmin {
  return scope === 'all' ? cobro : cobro.forMerchant(scope)
}

const staleMs = 10_000

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: staleMs,
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < 3 && !(error instanceof AuthenticationError) && isWorthRepeating(error),
    },
  },
})

// What one user has read is not shown to the next.
session.subscribe(() => {
  if (session.state().kind === 'closed') queries.clear()
})
