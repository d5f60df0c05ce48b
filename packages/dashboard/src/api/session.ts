import { type BrowserLogin, LoginError, loginCalls } from './login-calls.ts'
import { type EndsSoon, endsSoonOf, type OpenLogin, openLoginOf } from './open-login.ts'

/** Whose call it is, and what gives it up. */
interface Caller {
  owner: string | undefined
  signal: AbortSignal | undefined
}

/** Why the login page is shown. */
export type EndReason =
  | 'logged_out'
  /** The logout did not reach the server, so that the login goes on there. */
  | 'not_logged_out'
  | 'ended'
  | 'idle'
  | 'unreachable'

export type SessionState =
  /** It is not known yet whether this browser has a login. */
  | { kind: 'starting' }
  | { kind: 'closed'; reason?: EndReason /** Whose page waits, because the login ended by itself. */; waitsFor?: User }
  | { kind: 'open'; login: OpenLogin; endsSoon: EndsSoon }

type User = BrowserLogin['user']

/** Returns the user whose page is open, also while it waits for the user to log in again. */
export function pageOwner(state: SessionState): User | undefined {
  if (state.kind === 'open') return state.login.user
  return state.kind === 'closed' ? state.waitsFor : undefined
}

/** What a session needs of the browser. */
export interface SessionDeps {
  fetch: typeof fetch
  /** Runs work while no other tab runs it. */
  lock: <T>(work: () => Promise<T>) => Promise<T>
  /** Remembers whether this browser has a login, so that one without does not ask for it. */
  remember: (hasLogin: boolean) => void
  remembers: () => boolean
  /** Deletes what this browser stores of its users beside that. */
  forget: () => void
  /** Sends a message to all other tabs. */
  announce: (message: TabMessage) => void
  now: () => number
}

/** What tabs say to each other. */
export type TabMessage = { kind: 'open'; login: OpenLogin } | { kind: 'closed'; reason: EndReason }

/** Refreshed this long before it expires, so that no call arrives too late. */
const leadMs = 60_000

/**
 * The login of the user of this browser. Its access token is only in memory; the refresh token is in a cookie that no
 * script can read. Tabs share one login: one of them refreshes it, and the others learn the new token.
 */
export class Session {
  readonly #deps: SessionDeps
  readonly #calls: ReturnType<typeof loginCalls>
  readonly #listeners = new Set<() => void>()
  #state: SessionState = { kind: 'starting' }
  #lastActivityMs: number
  #refreshing: Promise<void> | undefined
  /** Raised whenever a login begins or ends, so that late answers to it are dropped. */
  #generation = 0

  constructor(deps: SessionDeps) {
    this.#deps = deps
    this.#calls = loginCalls(deps.fetch)
    this.#lastActivityMs = deps.now()
  }

  readonly state = (): SessionState => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Finds out whether this browser has a login. */
  async resume(): Promise<void> {
    if (!this.#deps.remembers()) return this.#change({ kind: 'closed' })
    await this.#refresh().catch(() => this.#change({ kind: 'closed', reason: 'unreachable' }))
  }

  async logIn(credentials: { email: string; password: string }): Promise<void> {
    this.#begin(await this.#calls.logIn(credentials))
  }

  /** See `setUpFactor` of `loginCalls`. */
  setUpFactor(mfaToken: string): Promise<{ secret: string; uri: string }> {
    return this.#calls.setUpFactor(mfaToken)
  }

  /**
   * Completes a login with a code. A first code answers with recovery codes: the session then begins with `proceed`, once the
   * user has stored them.
   */
  async logInWithCode(input: { mfa_token: string; code: string }) {
    const answered = await this.#calls.logInWithCode(input)
    const proceed = () => this.#begin(answered)
    if (answered.recovery_codes) return { recoveryCodes: answered.recovery_codes, proceed }
    proceed()
    return undefined
  }

  /** Returns whose call it is that begins now. */
  caller(signal?: AbortSignal): Caller {
    return { owner: pageOwner(this.#state)?.id, signal }
  }

  /** Ends the login in every tab. If the server cannot be reached, the login page says so and offers to try again. */
  async logOut(): Promise<void> {
    await this.#deps.lock(async () => {
      const reason = await this.#calls.logOut().then(
        () => 'logged_out' as const,
        () => 'not_logged_out' as const,
      )
      this.#close(reason)
      this.#deps.announce({ kind: 'closed', reason })
    })
  }

  /** Replaces the access token by one that says that the user has just confirmed who it is. */
  confirmed(token: string, expiresInSeconds: number): void {
    if (this.#state.kind !== 'open') return
    const login = { ...this.#state.login, token, expiresAtMs: this.#deps.now() + expiresInSeconds * 1_000 }
    this.#change({ ...this.#state, login })
    this.#deps.announce({ kind: 'open', login })
  }

  /**
   * Returns a token for a call. Only a user who is there refreshes it: pages that ask again and again by themselves must not keep a
   * login alive, and wait until the user does something. Where a login has ended by itself, waits until its user has logged in again.
   * Throws if there is none, or another user's.
   */
  async token(caller = this.caller()): Promise<string> {
    if (this.#state.kind === 'open' && !this.#isFresh() && this.#mayRefresh(this.#state.login)) {
      const { login } = this.#state
      // The token before is valid for a while yet.
      await this.#refresh().catch(error => {
        if (this.#deps.now() >= login.expiresAtMs) throw error
      })
    }
    return this.#nextToken(caller)
  }

  /**
   * Asks the server whether the login goes on. Where it has ended, waits as `token` does, and returns false once its user has logged
   * in again.
   */
  async goesOn(caller = this.caller()): Promise<boolean> {
    // A server that does not answer has ended nothing.
    if (this.#state.kind === 'open') await this.#refresh({ force: true }).catch(() => undefined)
    if (this.#state.kind === 'open') return true
    await this.#nextToken(caller)
    return false
  }

  /** Returns a token in place of one that the server has refused, as `token` does. Ends the login if the server has ended it. */
  async renewed(refused: string, caller = this.caller()): Promise<string> {
    const { login } = this.#state.kind === 'open' ? this.#state : {}
    // Long before it expires, the server has ended it. After that, a page that asks by itself must not renew it.
    if (login?.token === refused && (this.#isThere(login) || this.#deps.now() < login.expiresAtMs - leadMs))
      await this.#refresh({ force: true })
    return this.#nextToken(caller, refused)
  }

  async #nextToken({ owner, signal }: Caller, refused?: string): Promise<string> {
    await this.#until(() => (signal?.aborted ?? false) || !this.#waitsFor(owner, refused), signal)
    if (this.#state.kind !== 'open' || this.#state.login.user.id !== owner) throw new Error('There is no login.')
    return this.#state.login.token
  }

  #until(isSo: () => boolean, signal: AbortSignal | undefined): Promise<void> {
    return new Promise(resolve => {
      const check = () => isSo() && resolve(stop())
      const stop = this.subscribe(check)
      signal?.addEventListener('abort', check, { once: true })
      check()
    })
  }

  /** Whether no call can go out before the user logs in again, or does something. */
  #waitsFor(owner: string | undefined, refused: string | undefined): boolean {
    if (owner === undefined || pageOwner(this.#state)?.id !== owner) return false
    if (this.#state.kind !== 'open') return true
    const { login } = this.#state
    return (login.token === refused || this.#deps.now() >= login.expiresAtMs) && !this.#isThere(login)
  }

  /** Notes that the user is there. */
  readonly active = (): void => {
    this.#lastActivityMs = this.#deps.now()
    if (this.#state.kind !== 'open' || this.#isFresh()) return
    if (this.#mayRefresh(this.#state.login)) void this.#refresh().catch(() => undefined)
  }

  /** Refreshes the login of a user who is there, warns one who is not, and ends it when its time is over. */
  async check(): Promise<void> {
    if (this.#state.kind !== 'open') return
    const { login, endsSoon: warned } = this.#state
    const nowMs = this.#deps.now()
    const endsAtMs = Math.min(login.idleAtMs, login.endsAtMs)
    if (nowMs >= endsAtMs) return this.#close(nowMs >= login.endsAtMs ? 'ended' : 'idle')
    if (!this.#isFresh() && this.#mayRefresh(login)) return this.#refresh()
    const endsSoon = endsSoonOf(login, nowMs)
    if (endsSoon !== warned) this.#change({ ...this.#state, endsSoon })
  }

  /** Handles what another tab said. */
  received(message: TabMessage): void {
    if (message.kind === 'closed') {
      this.#close(message.reason)
    } else {
      // What this tab has read belongs to another user.
      if (this.#state.kind === 'open' && this.#state.login.user.id !== message.login.user.id) this.#close('ended')
      this.#open(message.login)
    }
  }

  #change(next: SessionState): void {
    if (isLeft(this.#state, next)) this.#deps.forget()
    this.#state = next
    for (const listener of this.#listeners) listener()
  }

  #open(login: OpenLogin): void {
    this.#generation++
    this.#deps.remember(true)
    this.#change({ kind: 'open', login, endsSoon: undefined })
  }

  #close(reason: EndReason): void {
    this.#generation++
    this.#deps.remember(false)
    // A tab that had no login has nothing to say about its end.
    const isSilent = this.#state.kind === 'starting' && reason === 'ended'
    const owner = reason === 'ended' || reason === 'idle' ? pageOwner(this.#state) : undefined
    const waiting = owner === undefined ? {} : { waitsFor: owner }
    this.#change(isSilent ? { kind: 'closed' } : { kind: 'closed', reason, ...waiting })
  }

  #begin(answered: BrowserLogin): void {
    const login = openLoginOf(answered, this.#deps.now())
    this.#open(login)
    this.#deps.announce({ kind: 'open', login })
  }

  /** Whether the login need not be refreshed yet. A confirmation makes the token last longer, but not the login. */
  #isFresh(): boolean {
    if (this.#state.kind !== 'open') return false
    const { expiresAtMs, idleAtMs } = this.#state.login
    return this.#deps.now() < Math.min(expiresAtMs, idleAtMs) - leadMs
  }

  #mayRefresh(login: OpenLogin): boolean {
    return this.#isThere(login) && this.#deps.now() < login.endsAtMs - leadMs
  }

  /** Whether the user has done something since the login was refreshed. */
  #isThere({ refreshedAtMs }: OpenLogin): boolean {
    return this.#lastActivityMs > refreshedAtMs
  }

  #refresh(options: { force?: boolean } = {}): Promise<void> {
    const generation = this.#generation
    this.#refreshing ??= this.#deps
      .lock(() => this.#renew(generation, options))
      .finally(() => {
        this.#refreshing = undefined
      })
    return this.#refreshing
  }

  async #renew(generation: number, { force = false }: { force?: boolean }): Promise<void> {
    // Another tab may have refreshed or ended the login while this one waited.
    const isLate = () => generation !== this.#generation
    if (isLate() || (!force && this.#isFresh())) return
    try {
      const answered = await this.#calls.refresh()
      if (!isLate()) this.#begin(answered)
    } catch (error) {
      if (!(error instanceof LoginError) || error.status !== 401) throw error
      if (isLate()) return
      this.#close('ended')
      this.#deps.announce({ kind: 'closed', reason: 'ended' })
    }
  }
}

/** Whether what is stored of a user goes: no page is open or waits for that user, as when the next one comes to a shared computer. */
function isLeft(before: SessionState, next: SessionState): boolean {
  const [owner, nextOwner] = [pageOwner(before), pageOwner(next)]
  if (nextOwner) return owner !== undefined && owner.id !== nextOwner.id
  return next.kind === 'closed' && next.reason !== 'unreachable'
}
