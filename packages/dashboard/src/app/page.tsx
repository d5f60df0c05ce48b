import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { SessionProvider } from '../api/session-context.tsx'
import { LocaleProvider } from '../text/locale.tsx'
import { LoginGate } from './login-gate.tsx'

/** Shows the login or the dashboard. What only the dashboard needs is loaded for those who have a login. */
export function showPage(place: HTMLElement): void {
  createRoot(place).render(
    <StrictMode>
      <LocaleProvider>
        <SessionProvider>
          <LoginGate />
        </SessionProvider>
      </LocaleProvider>
    </StrictMode>,
  )
}
