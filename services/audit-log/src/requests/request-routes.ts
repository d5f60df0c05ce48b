import { requestOperations } from '@cobro/contracts'
import { disconnectSignal, type Route, route } from '@cobro/http'
import { listRequests } from './list-requests.ts'
import { readLifecycle } from './read-lifecycle.ts'
import { type TailDeps, tailRequests } from './tail-requests.ts'

export function requestRoutes(deps: TailDeps): Route[] {
  const { list, lifecycle } = requestOperations
  return [
    route(list, ({ caller, query, request }) => {
      const { after_seq } = query
      if (after_seq === undefined) return listRequests(deps, caller, query)
      return tailRequests(deps, caller, { ...query, after_seq }, disconnectSignal(request))
    }),
    route(lifecycle, ({ caller, params, query }) => readLifecycle(deps, caller, params.correlation_id, query)),
  ]
}
