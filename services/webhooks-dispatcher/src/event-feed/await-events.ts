import type { Id } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import type { Logger } from '@cobro/runtime'
import { type CallWaits, openCallWaits, readOrWait } from '@cobro/service'
import { type FeedPage, type FeedQuery, readFeed } from './read-feed.ts'

export interface FeedDeps {
  db: Database
  waits: CallWaits
}

/** Reads a page of a merchant's feed. Without a matching event, waits for one and returns the page then. */
export async function awaitEvents(
  { db, waits }: FeedDeps,
  merchantId: Id<'mrc'>,
  query: FeedQuery,
  patience: { waitMs: number; signal: AbortSignal },
): Promise<FeedPage> {
  let start: number | undefined
  const read = async (through: number | undefined) => {
    const page = await readFeed(db, merchantId, { ...query, after: through ?? query.after })
    start ??= page.after
    return { ...page, after: start }
  }
  return readOrWait(waits, read, { key: merchantId, ...patience })
}

/** Opens the registry of calls that wait for events, by merchant. */
export function openFeedWaits({ db, logger }: { db: Database; logger: Logger }): CallWaits {
  const headsOf = async (merchantIds: string[]) => {
    const heads = await db.execute<{ merchant_id: string; head: number }>(selectHeads, [`{${merchantIds.join()}}`])
    return heads.map(({ merchant_id, head }) => [merchant_id, head] as const)
  }
  return openCallWaits({ headsOf, logger })
}

const selectHeads = `
  select merchant_id, head::double precision from webhooks.feed_heads where merchant_id = any(?::text[])`
