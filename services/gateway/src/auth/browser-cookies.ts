import { parseCookie } from 'cookie'
import type { Request } from 'express'

/**
 * The refresh token's name lets no other host set the cookie, which needs the path of the whole host. The device token is for logins
 * alone.
 */
const cookies = {
  cobro_refresh: { prefix: '__Host-', path: '/' },
  cobro_device: { prefix: '__Secure-', path: '/api/auth/browser' },
} as const

type CookieName = keyof typeof cookies

/**
 * Returns the cookies of logins in browsers, which no script can read. Over plain http, as in a sandbox, browsers would not keep
 * them as secure, and they have no prefix.
 */
export function browserCookies(publicUrl: string) {
  const secure = new URL(publicUrl).protocol === 'https:'
  const fullName = (name: CookieName) => (secure ? `${cookies[name].prefix}${name}` : name)
  const optionsOf = (name: CookieName) =>
    ({ httpOnly: true, secure, sameSite: 'strict', path: cookies[name].path }) as const
  return {
    /** Returns the value of a cookie that a call came with. */
    read: ({ headers }: Request, name: CookieName) => parseCookie(headers.cookie ?? '')[fullName(name)],
    /** Sets a cookie in the answer to a call. */
    set: ({ res }: Request, name: CookieName, value: string, maxAge: number) =>
      void res?.cookie(fullName(name), value, { ...optionsOf(name), maxAge }),
    clear: ({ res }: Request, name: CookieName) => void res?.clearCookie(fullName(name), optionsOf(name)),
  }
}
