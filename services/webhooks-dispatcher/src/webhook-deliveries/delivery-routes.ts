import { deliveryOperations } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { type Route, route } from '@cobro/http'
import { cancelDelivery } from './cancel-delivery.ts'
import { hideDelivery } from './hide-delivery.ts'
import { type DeliveryWithHistory, getDelivery, listDeliveries } from './read-deliveries.ts'
import { redeliver } from './redeliver.ts'
import type { Waker } from './request-delivery.ts'
import { sendPastEvent } from './send-past-event.ts'

/** The entity's type says of nullable columns that they may be undefined too, which no row is. */
const answer = (data: DeliveryWithHistory) => ({ data })

export function deliveryRoutes(deps: { db: Database; sender: Waker }): Route[] {
  const { list, read, create, update, delete: remove, redeliver: again } = deliveryOperations
  return [
    route(list, ({ caller, query }) => listDeliveries(deps, caller, query)),
    route(read, async ({ caller, params }) => answer(await getDelivery(deps, caller, params.id))),
    route(create, async ({ caller, body }) => answer(await sendPastEvent(deps, caller, body))),
    route(update, async ({ caller, params }) => answer(await cancelDelivery(deps, caller, params.id))),
    route(remove, async ({ caller, params }) => {
      await hideDelivery(deps, caller, params.id)
      return { data: { id: params.id, deleted: true as const } }
    }),
    route(again, async ({ caller, params }) => answer(await redeliver(deps, caller, params.id))),
  ]
}
