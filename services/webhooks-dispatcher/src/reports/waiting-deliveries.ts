import { planForValues, type Reader } from '@cobro/database'

/** Which endpoints' queues to look at: those of one endpoint or of merchants, or all. */
export type QueuesOf = { webhookIds: string[] } | { merchantIds: string[] } | 'all'

/** The most deliveries that are counted, so that a long backlog costs no more. */
const maxCounted = 100_000

/**
 * Counts the deliveries that wait to be sent, up to 100,000, and finds out since when the most overdue one waits.
 * Reads the jobs of each queue by their index: ordered by when they are due, those that are leased are at most ten.
 */
export async function waitingDeliveries(em: Reader, queuesOf: QueuesOf) {
  const { sql, params } = queues(queuesOf)
  const [row] = await em.execute<{ pending: number; oldest_due_ms: number | null }[]>(
    planForValues(waiting(sql)),
    params,
  )
  const oldestMs = row?.oldest_due_ms ?? null
  return { pending: row?.pending ?? 0, oldest_due_at: oldestMs === null ? null : new Date(oldestMs) }
}

function queues(of: QueuesOf): { sql: string; params: string[] } {
  if (of === 'all') return { sql: 'select webhook_id from webhooks.lanes where next_due is not null', params: [] }
  if ('webhookIds' in of) return { sql: 'select unnest(?::text[]) as webhook_id', params: [`{${of.webhookIds}}`] }
  return {
    sql: 'select id as webhook_id from webhooks.endpoints where merchant_id = any(?::text[])',
    params: [`{${of.merchantIds}}`],
  }
}

const waiting = (queuesSql: string) => `
  with queue as materialized (${queuesSql})
  select (
    select count(*)::integer from (
      select from queue cross join lateral (
        select from webhooks.jobs j where j.webhook_id = queue.webhook_id and not j.leased offset 0
      ) job
      limit ${maxCounted}
    ) counted
  ) as pending, (
    select floor(extract(epoch from min(job.due_at)) * 1000)::float8 from queue cross join lateral (
      select j.due_at from webhooks.jobs j
      where j.webhook_id = queue.webhook_id and not j.leased and j.due_at <= now() order by j.due_at limit 1
    ) job
  ) as oldest_due_ms`
