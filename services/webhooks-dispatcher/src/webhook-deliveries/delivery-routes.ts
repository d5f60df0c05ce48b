import { webhookOperations } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { type Route, route } from '@cobro/http'
import { getDelivery, listDeliveries } from './read-deliveries.ts'

export function deliveryRoutes(deps: { db: Database }): Route[] {
  const { deliveries, delivery } = webhookOperations
  return [
    route(deliveries, ({ caller, query }) => listDeliveries(deps, caller, query) as never),
    route(delivery, async ({ caller, params }) => ({ data: await getDelivery(deps, caller, params.id) }) as never),
  ]
}
