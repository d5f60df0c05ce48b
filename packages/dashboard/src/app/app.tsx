import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { SessionProvider } from '../api/browser-session.tsx'
import { queries } from '../api/cobro.ts'
import { LocaleProvider } from '../text/locale.tsx'
import { router } from './routes.tsx'

export function App() {
  return (
    <LocaleProvider>
      <SessionProvider>
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </SessionProvider>
    </LocaleProvider>
  )
}
