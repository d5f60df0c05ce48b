import { acquirerOperations } from '@cobro/contracts'
import { type Route, route } from '@cobro/http'
import { type NotificationDeps, receiveNotification } from './receive-notification.ts'

/** Returns the route, whose body is parsed only when verified: the signature covers raw bytes. */
export function notificationRoutes(deps: NotificationDeps): Route[] {
  return [
    route(acquirerOperations.notify, async ({ request }) => {
      const rawBody = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      await receiveNotification(deps, rawBody, request.headers)
      return { received: true as const }
    }),
  ]
}
