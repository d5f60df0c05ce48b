import type { LoginTokens } from './generated/types.ts'
import type { UserMethods } from './generated/user-methods.ts'

/** A user's tokens. Keep it as secret as a password. */
export interface Session {
  token: string
  refreshToken: string
  /** When the token expires, in milliseconds since the epoch. */
  expiresAtMs: number
}

/** Refreshed this long before it expires, so that no call arrives too late. */
const leadMs = 60_000

/** Returns the session of a login. */
export function sessionOf({ token, refresh_token, expires_in }: LoginTokens): Session {
  return { token, refreshToken: refresh_token, expiresAtMs: Date.now() + expires_in * 1_000 }
}

/**
 * Returns what gives a valid token. Refreshes the session when it is about to expire, and once for all calls that
 * wait: a refresh token that is used twice ends the whole session. Saves a new session before it is used.
 */
export function tokenSource(
  first: Session,
  refresh: UserMethods['auth']['refresh'],
  save: (session: Session) => void | Promise<void>,
): () => Promise<string> {
  let session = first
  let refreshing: Promise<void> | undefined
  const renew = async () => {
    const renewed = sessionOf(await refresh({ refresh_token: session.refreshToken }))
    await save(renewed)
    session = renewed
  }
  return async () => {
    if (Date.now() >= session.expiresAtMs - leadMs) {
      refreshing ??= renew().finally(() => {
        refreshing = undefined
      })
      await refreshing
    }
    return session.token
  }
}
