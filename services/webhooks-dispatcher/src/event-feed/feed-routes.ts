import { defaultLimit, webhookEventOperations } from '@cobro/contracts'
import { merchantOf } from '@cobro/database'
import { disconnectSignal, type Route, route } from '@cobro/http'
import { awaitEvents, type FeedDeps } from './await-events.ts'
import { getEvent } from './get-event.ts'

export function feedRoutes(deps: FeedDeps): Route[] {
  const { list, read } = webhookEventOperations
  return [
    route(list, ({ caller, query, request }) => {
      const { after, events, limit = defaultLimit, wait = 0 } = query
      const patience = { waitMs: wait * 1_000, signal: disconnectSignal(request) }
      return awaitEvents(deps, merchantOf(caller), { after, events, limit }, patience)
    }),
    route(read, async ({ caller, params }) => ({ data: await getEvent(deps, caller, params.id) })),
  ]
}
