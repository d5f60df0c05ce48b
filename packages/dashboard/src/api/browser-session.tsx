import { createContext, type ReactNode, use, useEffect, useSyncExternalStore } from 'react'
import { Session, type SessionState, type TabMessage } from './session.ts'

const checkEveryMs = 10_000
const channelName = 'cobro.session'
const loginKey = 'cobro.login'
const signsOfActivity = ['pointerdown', 'keydown', 'scroll'] as const

/** Opens the session of this browser, which its tabs share. */
function openBrowserSession(): Session {
  const channel = new BroadcastChannel(channelName)
  const session = new Session({
    fetch: (...args) => fetch(...args),
    // Over plain http, other than on this machine, browsers have no locks. The server forgives tabs that refresh at once.
    lock: work => (navigator.locks ? navigator.locks.request(channelName, work) : work()),
    remember: hasLogin => (hasLogin ? localStorage.setItem(loginKey, 'open') : localStorage.removeItem(loginKey)),
    remembers: () => localStorage.getItem(loginKey) !== null,
    announce: message => channel.postMessage(message),
    now: () => Date.now(),
  })
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => session.received(data)
  return session
}

/** The session of this page, for as long as the page is there. */
export const session = openBrowserSession()

const SessionContext = createContext<SessionState>({ kind: 'starting' })

/** Provides the session to screens, refreshes it while its user is there, and ends it in time. */
export function SessionProvider({ children }: { children: ReactNode }) {
  const state = useSyncExternalStore(session.subscribe, session.state)
  useEffect(() => {
    void session.resume()
    const timer = setInterval(() => void session.check().catch(() => undefined), checkEveryMs)
    const options = { passive: true, capture: true }
    for (const sign of signsOfActivity) addEventListener(sign, session.active, options)
    return () => {
      clearInterval(timer)
      for (const sign of signsOfActivity) removeEventListener(sign, session.active, options)
    }
  }, [])
  return <SessionContext value={state}>{children}</SessionContext>
}

export const useSession = (): SessionState => use(SessionContext)
