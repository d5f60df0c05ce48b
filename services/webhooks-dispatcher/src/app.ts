import type { Route } from '@cobro/http'
import { deliveryRoutes } from './webhook-deliveries/delivery-routes.ts'
import type { DeliveryDeps } from './webhook-deliveries/request-delivery.ts'
import type { WebhookDeps } from './webhooks/create-webhook.ts'
import { webhookRoutes } from './webhooks/webhook-routes.ts'

/** Every operation of this service. */
export const routes = (deps: WebhookDeps & DeliveryDeps): Route[] => [...webhookRoutes(deps), ...deliveryRoutes(deps)]
