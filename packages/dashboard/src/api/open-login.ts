import type { BrowserLogin } from './login-calls.ts'

/** A login, with its times on this browser's clock. */
export interface OpenLogin extends Pick<BrowserLogin, 'token' | 'user'> {
  refreshedAtMs: number
  expiresAtMs: number
  /** When it ends unless it is refreshed. */
  idleAtMs: number
  /** When it ends in any case. */
  endsAtMs: number
}

export function openLoginOf(
  { token, user, expires_in, idle_seconds, ends_in }: BrowserLogin,
  nowMs: number,
): OpenLogin {
  return {
    token,
    user,
    refreshedAtMs: nowMs,
    expiresAtMs: nowMs + expires_in * 1_000,
    idleAtMs: nowMs + idle_seconds * 1_000,
    endsAtMs: nowMs + ends_in * 1_000,
  }
}

/** How long before its end a user is warned. */
const warningMs = 60_000

/** Which end is near: `idle` unless the user does something, `ended` in any case. */
export type EndsSoon = 'idle' | 'ended' | undefined

export function endsSoonOf({ idleAtMs, endsAtMs }: OpenLogin, nowMs: number): EndsSoon {
  if (nowMs >= endsAtMs - warningMs) return 'ended'
  return nowMs >= idleAtMs - warningMs ? 'idle' : undefined
}
