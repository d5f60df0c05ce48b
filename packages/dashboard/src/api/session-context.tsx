import { createContext, type ReactNode, use, useEffect, useSyncExternalStore } from 'react'
import { session } from './browser-session.ts'
import type { SessionState } from './session.ts'

const checkEveryMs = 10_000
const signsOfActivity = ['pointerdown', 'keydown', 'scroll'] as const

const SessionContext = createContext<SessionState>({ kind: 'starting' })

/** Provides the session to screens, refreshes it while its user is there, and ends it in time. */
export function SessionProvider({ children }: { children: ReactNode }) {
  const state = useSyncExternalStore(session.subscribe, session.state)
  useEffect(() => {
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
