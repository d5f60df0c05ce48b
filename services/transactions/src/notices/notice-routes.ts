import { acquirerOperations } from '@cobro/contracts'
import { type Route, route } from '@cobro/http'
import { type NoticeDeps, takeNotice } from './take-notice.ts'

/** What is signed are the bytes: the request's body is still those, beside the JSON that was read from them. */
export function noticeRoutes(deps: NoticeDeps): Route[] {
  return [
    route(acquirerOperations.notify, async ({ request }) => {
      await takeNotice(deps, request.body as Buffer, request.headers)
      return { received: true as const }
    }),
  ]
}
