import type { Reader } from '@cobro/database'

/**
 * The head of the log counts all events ever appended. Retired months recorded how many events they
 * had, and are subtracted once their partition is gone.
 */
const select = `
  select greatest(h.size, h.placed) - coalesce(
    (
      select sum((convert_from(content, 'UTF8')::jsonb -> 'metadata' ->> 'events')::bigint)
      from audit.retirements
      where not exists (
        select from pg_inherits join pg_class on pg_class.oid = inhrelid
        where inhparent = 'audit.events'::regclass and relname = 'events_' || to_char(month, 'YYYY_MM')
      )
    ), 0
  ) as count
  from audit.tree_head h`

/** Returns the exact number of events in the log without counting them. */
export async function countEvents(em: Reader): Promise<number> {
  const [row] = await em.execute<{ count: string }[]>(select)
  return Number(row?.count ?? 0)
}
