import { parseCookie } from 'cookie'
import type { Request } from 'express'

/** The cookies of a login in a browser, which only its operations receive and no script can read. */
export interface BrowserCookies {
  /** Returns the value of a cookie that a call came with. */
  read: (request: Request, name: CookieName) => string | undefined
  /** Sets a cookie in the response to a call. */
  set: (request: Request, name: CookieName, value: string, expires: Date) => void
  clear: (request: Request, name: CookieName) => void
}

type CookieName = 'cobro_refresh' | 'cobro_device'

/** Returns the cookies of a deployment. Over plain http, as in a sandbox, browsers would not keep them as secure. */
export function browserCookies(publicUrl: string): BrowserCookies {
  const { protocol, pathname } = new URL(publicUrl)
  const secure = protocol === 'https:'
  const fullName = (name: CookieName) => (secure ? `__Secure-${name}` : name)
  const path = `${pathname.replace(/\/$/, '')}/api/auth/browser`
  const options = { httpOnly: true, secure, sameSite: 'strict', path } as const
  return {
    read: ({ headers }, name) => parseCookie(headers.cookie ?? '')[fullName(name)],
    set: ({ res }, name, value, expires) => void res?.cookie(fullName(name), value, { ...options, expires }),
    clear: ({ res }, name) => void res?.clearCookie(fullName(name), options),
  }
}
