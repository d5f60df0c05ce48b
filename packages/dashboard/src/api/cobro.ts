import { AuthenticationError, type CobroAdmin, createCobroAdmin } from '@cobro/sdk/admin'
import { QueryClient } from '@tanstack/react-query'
import { session } from './browser-session.tsx'
import { isWorthRepeating } from './problems.ts'

/** Sends a call with the access token of the session, and once more with a new one if the server refuses it. */
const withToken: typeof fetch = async (url, init) => {
  const send = (token: string) => {
    const headers = new Headers(init?.headers)
    headers.set('authorization', `Bearer ${token}`)
    return fetch(url, { ...init, headers })
  }
  const token = await session.token()
  const answer = await send(token)
  // A confirmation is refused also for a wrong password.
  if (answer.status !== 401 || String(url).endsWith('/api/auth/confirm')) return answer
  return send(await session.renewed(token))
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
      // Without a connection, a call fails and the screen says so.
      networkMode: 'always',
      retry: (failures, error) => failures < 3 && !(error instanceof AuthenticationError) && isWorthRepeating(error),
    },
  },
})

// What one user has read is not shown to the next.
session.subscribe(() => {
  if (session.state().kind === 'closed') queries.clear()
})
