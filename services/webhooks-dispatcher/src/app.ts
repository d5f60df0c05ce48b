import type { Route } from '@cobro/http'
import type { FeedDeps } from './event-feed/await-events.ts'
import { feedRoutes } from './event-feed/feed-routes.ts'
import { reportRoutes } from './reports/report-routes.ts'
import { deliveryRoutes } from './webhook-deliveries/delivery-routes.ts'
import type { DeliveryDeps } from './webhook-deliveries/request-delivery.ts'
import type { WebhookDeps } from './webhooks/create-webhook.ts'
import { webhookRoutes } from './webhooks/webhook-routes.ts'

/** Every operation of this service. */
export const routes = (deps: WebhookDeps & DeliveryDeps & FeedDeps): Route[] => [
  ...webhookRoutes(deps),
  ...deliveryRoutes(deps),
  ...feedRoutes(deps),
  ...reportRoutes(deps),
]
