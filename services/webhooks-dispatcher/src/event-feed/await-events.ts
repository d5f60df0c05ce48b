import type { Caller } from '@cobro/contracts'
import { type Database, merchantOf } from '@cobro/database'
import type { Logger } from '@cobro/runtime'
import { type CallWaits, limitedTogether, openCallWaits, readOrWait } from '@cobro/service'
import { type FeedPage, type FeedQuery, readFeed } from './read-feed.ts'

export interface FeedDeps {
  db: Database
  waits: CallWaits
}

const pollMs = 250

/** Reads a page of the feed of the caller's merchant. Without a matching event, waits for one and returns the page then. */
export async function awaitEvents(
  { db, waits }: FeedDeps,
  caller: Caller,
  query: FeedQuery,
  { waitMs, signal }: { waitMs: number; signal: AbortSignal },
): Promise<FeedPage> {
  const merchantId = merchantOf(caller)
  let start: number | undefined
  const read = async (through: number | undefined) => {
    const page = await readFeed(db, merchantId, { ...query, after: through ?? query.after })
    start ??= page.after
    return { ...page, after: start }
  }
  return readOrWait(waits, read, { key: merchantId, caller: limitedTogether(caller), waitMs, signal })
}

/** Opens the registry of calls that wait for events, by merchant. */
export function openFeedWaits({ db, logger }: { db: Database; logger: Logger }): CallWaits {
  const headsOf = async (merchantIds: string[]) => {
    const heads = await db.execute<{ merchant_id: string; head: number }>(selectHeads, [`{${merchantIds.join()}}`])
    return heads.map(({ merchant_id, head }) => [merchant_id, head] as const)
  }
  return openCallWaits({ headsOf, pollMs, logger })
}

const selectHeads = `
  select merchant_id, head::double precision from webhooks.feed_heads where merchant_id = any(?::text[])`
