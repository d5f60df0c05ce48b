import type { browserLoginOperations } from '@cobro/contracts'
import type { z } from 'zod'

/** A login of the user of this browser, as the API answers it. */
export type BrowserLogin = z.input<typeof browserLoginOperations.login.response>

/** The login was answered with a problem, or with the wish for a code. */
export class LoginError extends Error {
  readonly status: number
  readonly code: string
  readonly retryAfterSeconds: number | undefined
  /** With `mfa_required`: what to send with the code. */
  readonly mfaToken: string | undefined
  /** Whether the user has to set up a second factor first. */
  readonly mfaSetup: boolean

  constructor(answer: Response, body: { error?: string; mfa_token?: string; mfa_setup?: boolean }) {
    super(body.error ?? `status ${answer.status}`)
    this.status = answer.status
    this.code = /^\w+/.exec(body.error ?? '')?.[0] ?? 'internal_error'
    this.retryAfterSeconds = Number(answer.headers.get('retry-after')) || undefined
    this.mfaToken = body.mfa_token
    this.mfaSetup = body.mfa_setup ?? false
  }
}

const timeoutMs = 15_000
/** How long an `mfaToken` is valid, as the API describes it. */
export const mfaTokenMs = 5 * 60_000

/** Returns the calls that begin, refresh and end logins. They throw a `LoginError`, or what `fetch` throws. */
export function loginCalls(send: typeof fetch) {
  const post = async (path: string, body: object = {}) => {
    const answer = await send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-cobro-dashboard': '1' },
      body: JSON.stringify(body),
      // A call without an answer would hold the lock of all tabs.
      signal: AbortSignal.timeout(timeoutMs),
    })
    const answered = await answer.json().catch(() => ({}))
    if (!answer.ok) throw new LoginError(answer, answered)
    return answered
  }
  return {
    logIn: (credentials: { email: string; password: string }): Promise<BrowserLogin> =>
      post('/api/auth/browser/login', credentials),
    logInWithCode: (input: {
      mfa_token: string
      code: string
    }): Promise<BrowserLogin & { recovery_codes?: string[] }> => post('/api/auth/browser/login/factor', input),
    refresh: (): Promise<BrowserLogin> => post('/api/auth/browser/refresh'),
    logOut: (): Promise<unknown> => post('/api/auth/browser/logout'),
    /** Creates the second factor of a user who has to have one. Returns its secret, for the user's app. */
    setUpFactor: async (mfa_token: string): Promise<{ secret: string; uri: string }> =>
      (await post('/api/auth/login/factor/setup', { mfa_token })).data,
  }
}
