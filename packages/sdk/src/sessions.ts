import type { ConfirmedLogin, LoginTokens } from './generated/types.ts'
import type { UserMethods } from './generated/user-methods.ts'
import { CobroError, UnavailableError } from './transport/errors.ts'

/** A user's tokens. Keep it as secret as a password. */
export interface Session {
  token: string
  refreshToken: string
  /** When the token expires, in milliseconds since the epoch. */
  expiresAtMs: number
}

/** Where the session of a user is kept. Programs that share a session need all of it. */
export interface SessionStore {
  /** Returns the stored session. Called before a refresh, since another program may have refreshed it. */
  load?(): Session | undefined | Promise<Session | undefined>
  /** Stores a new session before it is used. The one before has stopped working. */
  save(session: Session): void | Promise<void>
  /** Runs a refresh while no other program does: a refresh token that is used twice ends the session. */
  lock?<T>(refresh: () => Promise<T>): Promise<T>
}

/** Refreshed this long before it expires, so that no call arrives too late. */
const leadMs = 60_000

/** Returns the session of a login. */
export function sessionOf({ token, refresh_token, expires_in }: LoginTokens): Session {
  return { token, refreshToken: refresh_token, expiresAtMs: Date.now() + expires_in * 1_000 }
}

/** The tokens of a session. */
interface TokenSource {
  /**
   * Returns a valid token. Refreshes the session when it is about to expire, once for all calls that wait. A refresh token
   * that may have been used is not used again.
   */
  current(): Promise<string>
  /** Uses the token of a login that was confirmed from now on, and stores it. */
  confirmed(login: ConfirmedLogin): Promise<void>
}

/** Returns the tokens of a session, which is stored whenever they change. */
export function tokenSource(
  first: Session,
  refresh: UserMethods['auth']['refresh'],
  store: SessionStore | undefined,
): TokenSource {
  let session = first
  let isSaved = true
  let spent: string | undefined
  let refreshing: Promise<void> | undefined
  const isFresh = () => Date.now() < session.expiresAtMs - leadMs
  const save = async () => {
    isSaved = false
    await store?.save(session)
    isSaved = true
  }
  const renew = async () => {
    if (!isSaved) return save()
    session = (await store?.load?.()) ?? session
    if (isFresh()) return
    const { refreshToken } = session
    if (refreshToken === spent) throw new CobroError('The session may have ended: log in again.')
    try {
      session = sessionOf(await refresh({ refresh_token: refreshToken }))
    } catch (error) {
      // A 503 seldom means that the token was used, and then the session is lost in either case.
      const isSpent = error instanceof CobroError && error.outcomeUnknown && !(error instanceof UnavailableError)
      if (isSpent) spent = refreshToken
      throw error
    }
    await save()
  }
  const current = async () => {
    if (isSaved && isFresh()) return session.token
    refreshing ??= (store?.lock ? store.lock(renew) : renew()).finally(() => {
      refreshing = undefined
    })
    const before = session
    await refreshing.catch(error => {
      // The token before is valid for a while yet, unless it was replaced.
      if (session !== before || Date.now() >= before.expiresAtMs) throw error
    })
    return session.token
  }
  const confirmed = async ({ token, expires_in }: ConfirmedLogin) => {
    const replace = async () => {
      // Another program may have refreshed the session: its refresh token is the one that works.
      session = { ...((await store?.load?.()) ?? session), token, expiresAtMs: Date.now() + expires_in * 1_000 }
      await save()
    }
    await (store?.lock ? store.lock(replace) : replace())
  }
  return { current, confirmed }
}
