import { ApiError, requestOperations } from '@cobro/contracts'
import { type Database, isStatementTimeout } from '@cobro/database'
import { disconnectSignal, type Route, route } from '@cobro/http'
import { listRequests } from './list-requests.ts'
import { readLifecycle } from './read-lifecycle.ts'
import { type TailDeps, tailRequests } from './tail-requests.ts'

export interface RequestDeps extends TailDeps {
  /** The database over connections for lists, whose statements have a short time limit. */
  lists: Database
}

export function requestRoutes({ lists, ...deps }: RequestDeps): Route[] {
  const { list, lifecycle } = requestOperations
  return [
    route(list, ({ caller, query, request }) => {
      const { after_seq } = query
      if (after_seq !== undefined) return tailRequests(deps, caller, { ...query, after_seq }, disconnectSignal(request))
      return listRequests({ db: lists }, caller, query).catch(rejectSlow)
    }),
    route(lifecycle, ({ caller, params, query }) => readLifecycle(deps, caller, params.correlation_id, query)),
  ]
}

/** A rare filter over a long time reads every call of the merchant. */
function rejectSlow(error: unknown): never {
  if (!isStatementTimeout(error)) throw error
  throw new ApiError('timeout', 'too many calls to look through: narrow the list by from and to', { cause: error })
}
