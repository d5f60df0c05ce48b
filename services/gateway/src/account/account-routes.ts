import { authOperations } from '@cobro/contracts'
import { page, type Route } from '@cobro/http'
import { passwordPage, passwordPageHeaders } from './password-page.ts'

export function accountRoutes(): Route[] {
  return [
    page(authOperations.passwordPage, async (_call, response) => {
      const language = response.req.acceptsLanguages(['es', 'en']) === 'en' ? 'en' : 'es'
      response.set(passwordPageHeaders).type('html').send(passwordPage(language))
    }),
  ]
}
