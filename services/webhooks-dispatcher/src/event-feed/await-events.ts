import type { Id } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import type { FeedWaits } from './feed-waits.ts'
import { type FeedPage, type FeedQuery, readFeed } from './read-feed.ts'

export interface FeedDeps {
  db: Database
  waits: FeedWaits
}

/** How long to wait for an event if there is none, and when to stop because the client disconnected. */
interface Patience {
  waitMs: number
  signal: AbortSignal
}

/** Reads a page of a merchant's feed. Without a matching event, waits for one and returns the page then. */
export async function awaitEvents(
  { db, waits }: FeedDeps,
  merchantId: Id<'mrc'>,
  query: FeedQuery,
  { waitMs, signal }: Patience,
): Promise<FeedPage> {
  const endsAt = performance.now() + waitMs
  const first = await readFeed(db, merchantId, query)
  let page = first
  while (page.data.length === 0 && page.through === page.head) {
    const timeoutMs = endsAt - performance.now()
    if (timeoutMs <= 0 || signal.aborted || waits.ended()) break
    await waits.wait({ merchantId, through: page.through, timeoutMs, signal })
    page = await readFeed(db, merchantId, { ...query, after: page.through })
  }
  return { ...page, after: first.after }
}
