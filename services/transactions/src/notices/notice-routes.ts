import { acquirerOperations } from '@cobro/contracts'
import { type Route, route } from '@cobro/http'
import { type NoticeDeps, takeNotice } from './take-notice.ts'

/** What is signed are the bytes, and nothing is read from them before their signature is found right. */
export function noticeRoutes(deps: NoticeDeps): Route[] {
  return [
    route(acquirerOperations.notify, async ({ request }) => {
      const rawBody = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      await takeNotice(deps, rawBody, request.headers)
      return { received: true as const }
    }),
  ]
}
