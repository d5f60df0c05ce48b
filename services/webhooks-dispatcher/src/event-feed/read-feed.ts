import { ApiError, type EventPatterns, type Id, type ResponseOf, type webhookEventOperations } from '@cobro/contracts'
import { type Database, planForValues } from '@cobro/database'

export type FeedPage = ResponseOf<typeof webhookEventOperations.list>

/** What to read of a merchant's feed. */
export interface FeedQuery {
  /** The sequence after which to read; by default the oldest event that is kept. */
  after: number | 'latest' | undefined
  limit: number
  /** The events to return; all by default. */
  events: EventPatterns | undefined
}

/** How many events a page looks at: it may have none of them, and then says with `through` where to read on. */
const maxScanned = 10_000

interface Row {
  after: number
  head: number
  floor: number
  sequence: number | null
  id: Id<'evt'>
  event: string
  correlation_id: Id<'corr'> | null
  created_at: string
  payload: string
}

/**
 * Reads a page of a merchant's feed. Head and events are of one snapshot: a transaction that numbers an event locks the merchant's
 * head until the commit, so all events up to the head are visible. Throws `gone` for a sequence before the oldest event.
 */
export async function readFeed(db: Database, merchantId: Id<'mrc'>, query: FeedQuery): Promise<FeedPage> {
  const { after, limit, events } = query
  const start = after === 'latest' ? null : (after ?? null)
  const rows = await db.execute<Row>(planForValues(page), [
    ...[start, after === 'latest', merchantId, merchantId, maxScanned],
    ...[!events, `{${events?.names.join() ?? ''}}`, `{${events?.prefixes.join() ?? ''}}`, limit],
  ])
  const [first] = rows
  if (!first) throw new Error('The feed has no head.')
  const { head, floor } = first
  assertKept(first.after, { head, floor })
  const data = rows.flatMap(({ sequence, created_at, id, event, correlation_id, payload }) =>
    sequence === null ? [] : [{ sequence, id, event, created_at: new Date(created_at), correlation_id, payload }],
  )
  const isFull = data.length === limit
  const through = isFull ? data.at(-1)?.sequence : Math.min(head, first.after + maxScanned)
  return { data, after: first.after, through: through ?? head, head, floor }
}

function assertKept(after: number, { head, floor }: { head: number; floor: number }): void {
  if (after < floor - 1) throw new ApiError('gone', `after: expected at least ${floor - 1}: older events are deleted`)
  // A position that was never reached: of another merchant or deployment, or of a database restored from a backup.
  if (after > head) throw new ApiError('invalid_request', `after: expected at most ${head}, the newest event`)
}

const page = `
  with feed as (
    select coalesce(?::bigint, case when ? then head else floor - 1 end) as after, head, floor
    from (
      select coalesce(max(head), 0) as head, coalesce(max(floor), 1) as floor
      from webhooks.feed_heads where merchant_id = ?
    ) found
  )
  select feed.after::double precision, feed.head::double precision, feed.floor::double precision,
    e.sequence::double precision, e.id, e.event, e.correlation_id, e.created_at, convert_from(e.body, 'UTF8') as payload
  from feed left join lateral (
    select sequence, id, event, correlation_id, created_at, body from webhooks.events
    where merchant_id = ? and sequence > feed.after and sequence <= least(feed.head, feed.after + ?)
      and (? or event = any(?::text[]) or event ^@ any(?::text[]))
    order by sequence limit ?
  ) e on true
  order by e.sequence`
