import type { Caller, RequestQuery } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { queryEvents } from '../events/list-events.ts'
import { apiRequestOf, requestsOf } from './requests-of.ts'

/** Returns a page of the calls of the caller's merchants, by time. */
export async function listRequests({ db }: { db: Database }, caller: Caller, query: RequestQuery) {
  const matching = requestsOf(caller, query.filters)
  const page = await db.read(em => queryEvents(em, caller, { ...query, filters: {} }, matching))
  return { ...page, data: page.data.map(apiRequestOf), through: null }
}
