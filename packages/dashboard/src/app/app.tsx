import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { I18nProvider } from 'react-aria-components'
import { session } from '../api/browser-session.ts'
import { queries } from '../api/cobro.ts'
import { meQuery } from '../api/use-me.ts'
import { useLocale } from '../text/locale.tsx'
import { router } from './routes.tsx'
import { homeScope, isScope } from './scopes.ts'

/** The dashboard of a user who has a login. */
export default function App() {
  const { locale } = useLocale()
  return (
    <I18nProvider locale={locale === 'es' ? 'es-MX' : 'en-US'}>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </I18nProvider>
  )
}

/** Asks who calls as soon as there is a login: each screen waits for that before it asks for anything else. */
function askWhoCalls(): void {
  const state = session.state()
  if (state.kind !== 'open') return
  stop()
  const { user } = state.login
  const [, named = ''] = /^\/dashboard\/([^/]+)/.exec(location.pathname) ?? []
  const isNamed = user.merchant_id === null && isScope(named)
  void queries.prefetchQuery(meQuery(isNamed ? named : homeScope(user)))
}
const stop = session.subscribe(askWhoCalls)
askWhoCalls()

// While the login is asked for: the first screen is then there at once.
void router.load()
