import type { Route } from '@cobro/http'
import { deliveryRoutes } from './webhook-deliveries/delivery-routes.ts'
import type { Waker } from './webhook-deliveries/request-delivery.ts'
import type { WebhookDeps } from './webhooks/create-webhook.ts'
import { webhookRoutes } from './webhooks/webhook-routes.ts'

/** Every operation that this service answers. */
export const routes = (deps: WebhookDeps & { sender: Waker }): Route[] => [
  ...webhookRoutes(deps),
  ...deliveryRoutes(deps),
]
