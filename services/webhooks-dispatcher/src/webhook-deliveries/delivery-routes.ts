import { deliveryOperations, webhookOperations } from '@cobro/contracts'
import { type Route, route } from '@cobro/http'
import { cancelDelivery } from './cancel-delivery.ts'
import { hideDelivery } from './hide-delivery.ts'
import { getDelivery, listDeliveries } from './list-deliveries.ts'
import { redeliver } from './redeliver.ts'
import { redeliverPeriod } from './redeliver-period.ts'
import type { DeliveryDeps } from './request-delivery.ts'
import { sendPastEvent } from './send-past-event.ts'
import { sendTestEvent } from './send-test-event.ts'

export function deliveryRoutes(deps: DeliveryDeps): Route[] {
  const { list, read, create, update, delete: remove, redeliver: again } = deliveryOperations
  return [
    route(list, ({ caller, query }) => listDeliveries(deps, caller, query)),
    route(read, async ({ caller, params }) => ({ data: await getDelivery(deps, caller, params.id) })),
    route(create, async ({ caller, body }) => ({ data: await sendPastEvent(deps, caller, body) })),
    route(update, async ({ caller, params }) => ({ data: await cancelDelivery(deps, caller, params.id) })),
    route(remove, async ({ caller, params }) => {
      await hideDelivery(deps, caller, params.id)
      return { data: { id: params.id, deleted: true as const } }
    }),
    route(again, async ({ caller, params }) => ({ data: await redeliver(deps, caller, params.id) })),
    route(webhookOperations.redeliver, async ({ caller, params, body }) => ({
      data: await redeliverPeriod(deps, caller, params.id, body),
    })),
    route(webhookOperations.test, async ({ caller, params }) => ({
      data: await sendTestEvent(deps, caller, params.id),
    })),
  ]
}
