import { type Caller, type ListQuery, payableSteps } from '@cobro/contracts'
import { type Database, readableRows, scopeOf, type TenantRow } from '@cobro/database'

const completed = { status: { $in: ['completed', 'paid'] } }
const attempted = { $or: [{ attempt_count: { $gt: 0 } }, completed] }
const viewed = { $or: [{ viewed_at: { $ne: null } }, attempted] }
/** The same conditions by which the hours of the report count. */
const steps: Record<(typeof payableSteps)[number], object> = { viewed, attempted, completed }

/** Reads sessions or links: a page, which can be of those that reached a step, and one by id. */
export function payableRows<T extends TenantRow>(
  db: Database,
  entity: Parameters<typeof readableRows<T>>[1],
  search: readonly string[],
) {
  const { list, get } = readableRows(db, entity, { search })
  return {
    get,
    list: (caller: Caller, query: ListQuery) => {
      const { reached, ...filters } = query.filters
      if (reached === undefined) return list(caller, query)
      const given = [reached].flat()
      const $or = payableSteps.filter(step => given.includes(step)).map(step => steps[step])
      const scope = { $and: [scopeOf(caller), { $or }] }
      return readableRows(db, entity, { search, scope }).list(caller, { ...query, filters })
    },
  }
}
