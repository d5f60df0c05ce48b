import { defaultLimit, webhookEventOperations } from '@cobro/contracts'
import { disconnectSignal, type Route, route } from '@cobro/http'
import { awaitEvents, type FeedDeps } from './await-events.ts'
import { getEvent } from './get-event.ts'

export function feedRoutes(deps: FeedDeps): Route[] {
  const { list, read } = webhookEventOperations
  return [
    route(list, ({ caller, query, request }) => {
      const { after, events, limit = defaultLimit, wait = 0 } = query
      const waiting = { waitMs: wait * 1_000, signal: disconnectSignal(request) }
      return awaitEvents(deps, caller, { after, events, limit }, waiting)
    }),
    route(read, async ({ caller, params }) => ({ data: await getEvent(deps, caller, params.id) })),
  ]
}
