import type { TestDatabase } from '@cobro/testing'

/** What became of the sessions or links of a merchant that were created in an hour. Sums are texts, as PostgreSQL sends them. */
export interface CheckoutHour {
  merchant_id: string
  hour: Date
  kind: string
  created: string
  viewed: string
  attempted: string
  completed: string
  expired: string
  cancelled: string
}

const names = ['created', 'viewed', 'attempted', 'completed', 'expired', 'cancelled']
const sums = names.map(name => `sum(${name})::text as ${name}`).join(', ')
const totalsOf = (key: string, view: string) =>
  `select ${key}, ${sums} from checkout.${view} group by ${key} having sum(created) <> 0`

const recount = (table: string, kind: string, paid: string) => `
  select merchant_id, to_timestamp(floor(extract(epoch from created_at) / 3600) * 3600) as hour, '${kind}' as kind,
    count(*)::text as created,
    count(*) filter (where viewed_at is not null or attempt_count > 0 or status = '${paid}')::text as viewed,
    count(*) filter (where attempt_count > 0 or status = '${paid}')::text as attempted,
    count(*) filter (where status = '${paid}')::text as completed,
    count(*) filter (where status = 'expired')::text as expired,
    count(*) filter (where status = 'cancelled')::text as cancelled
  from checkout.${table} group by 1, 2`
const recounted = `${recount('checkout_sessions', 'session', 'completed')} union all ${recount('payment_links', 'link', 'paid')}`
const totals = totalsOf('merchant_id, hour, kind', 'checkout_hour_totals')
const totalsOfAll = totalsOf('hour, kind', 'checkout_hour_totals_of_all')
const recountedOfAll = `select hour, kind, ${names.map(name => `sum(${name}::bigint)::text as ${name}`).join(', ')} from (${recounted}) as each group by 1, 2`

/** Returns the kept hours, with what is not yet added to them. */
export function hoursOf({ query }: TestDatabase): Promise<CheckoutHour[]> {
  return query(`${totals} order by merchant_id, hour, kind`)
}

/** Counts the sessions and links themselves. */
export function recountedHours({ query }: TestDatabase): Promise<CheckoutHour[]> {
  return query(`select * from (${recounted}) as each order by merchant_id, hour, kind`)
}

/** Returns, as of one moment, how many kept hours differ from a recount: of each merchant and of all. */
export async function differingHours({ query }: TestDatabase): Promise<number> {
  const differ = (one: string, other: string) => `((${one}) except (${other})) union all ((${other}) except (${one}))`
  const [row] = await query(`
    select (select count(*) from (${differ(totals, recounted)}) as of_each)::integer
      + (select count(*) from (${differ(totalsOfAll, recountedOfAll)}) as of_all)::integer as count`)
  return row.count
}
