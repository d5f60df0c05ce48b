import { AuthenticationError, type CobroAdmin, createCobroAdmin } from '@cobro/sdk/admin'
import { QueryClient, type QueryKey } from '@tanstack/react-query'
import { session } from './browser-session.ts'
import { CallLog } from './call-log.ts'
import { isWorthRepeating } from './problems.ts'
import { pageOwner } from './session.ts'

/** Calls that the server refuses also for a wrong password or code: to repeat them would count as another attempt. */
const proofs = ['/api/auth/confirm', '/api/me/factor/remove']

/** The calls that the screen has made. */
export const callLog = new CallLog(50)

/** The gateway answers before, also where a call waits for events. */
const patienceMs = 50_000

/** Sends a call that is given up without an answer. A call that waits for a login has no such limit. */
async function fetchInTime(url: Parameters<typeof fetch>[0], init: RequestInit): Promise<Response> {
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), patienceMs)
  try {
    return await fetch(url, { ...init, signal: AbortSignal.any([limit.signal, ...(init.signal ? [init.signal] : [])]) })
  } finally {
    clearTimeout(timer)
  }
}

/** Sends a call with the access token of the session, and once more with a new one if the server refuses it. */
const withToken: typeof fetch = async (url, init) => {
  const send = (token: string) => {
    const headers = new Headers(init?.headers)
    headers.set('authorization', `Bearer ${token}`)
    return callLog.noted(String(url), { ...init, headers }, () => fetchInTime(url, { ...init, headers }))
  }
  const caller = session.caller(init?.signal ?? undefined)
  const token = await session.token(caller)
  const answer = await send(token)
  if (answer.status !== 401 || proofs.some(path => String(url).endsWith(path))) return answer
  return send(await session.renewed(token, caller))
}

/** The API, called as the user of this browser. Queries repeat what fails, so that the client does not. */
export const cobro: CobroAdmin = createCobroAdmin({
  ...{ baseUrl: location.origin, fetch: withToken, maxRetries: 0 },
  ...{ timeoutMs: Number.POSITIVE_INFINITY, deadlineMs: Number.POSITIVE_INFINITY },
})

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
      // Once, for what ends within a second. After that the screen says so and repeats it; see `Repeat`.
      retry: (failures, error) => failures < 1 && !(error instanceof AuthenticationError) && isWorthRepeating(error),
    },
  },
})

/**
 * Does something, and reads again what the cache has under these keys: also after an error, as it may have been done although its
 * answer was lost.
 */
export async function changing<Result>(changed: readonly QueryKey[], work: () => PromiseLike<Result>): Promise<Result> {
  try {
    return await work()
  } finally {
    for (const queryKey of changed) void queries.invalidateQueries({ queryKey })
  }
}

// What one user has read is not shown to the next. A user who logs in again sees what is true now.
let before = session.state()
session.subscribe(() => {
  const now = session.state()
  if (pageOwner(now)?.id !== pageOwner(before)?.id) {
    queries.clear()
    callLog.clear()
  } else if (now.kind === 'open' && before.kind === 'closed') void queries.invalidateQueries()
  before = now
})
