import type { Route } from '@cobro/http'
import { deliveryRoutes } from './webhook-deliveries/delivery-routes.ts'
import type { EndpointWaker } from './webhook-deliveries/request-delivery.ts'
import type { WebhookDeps } from './webhooks/create-webhook.ts'
import { webhookRoutes } from './webhooks/webhook-routes.ts'

/** Every operation of this service. */
export const routes = (deps: WebhookDeps & { sender: EndpointWaker }): Route[] => [
  ...webhookRoutes(deps),
  ...deliveryRoutes(deps),
]
