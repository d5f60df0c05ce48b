import type { Database } from '@cobro/database'
import type { VerifyingKey } from '../tree/checkpoint-keys.ts'
import type { CheckpointRow } from './check-checkpoint.ts'
import type { StoredEvent } from './check-event.ts'

/** What is needed to verify the log. */
export interface LogVerifier {
  db: Database
  /** The public keys that checkpoints may be signed with. */
  keys: readonly VerifyingKey[]
}

/** The head of the log, and events outside of the tree, at one moment. */
export interface LogEnd {
  size: number
  frontier: Buffer
  previous: Buffer
  /** The size of the newest checkpoint. */
  newest: number
  /** The highest sequence number of events that predate the tree; at most `size` once hashed. */
  placed: number
  /** The lowest sequence number before the first leaf, and after the last one. */
  before: number | null
  beyond: number | null
}

const checkpointsAtOnce = 100
const eventsAtOnce = 1_000

/** The driver returns `float8` as numbers, exact up to 2^53, but 64-bit integers as strings. */
const selectEnd = `
  select coalesce(h.size, 0)::float8 as size, coalesce(h.frontier, '') as frontier,
    coalesce(h.previous, '') as previous, coalesce(h.placed, 0)::float8 as placed,
    (select coalesce(max(size), 0) from audit.checkpoints)::float8 as newest,
    (select min(seq) from audit.events where seq < 1)::float8 as before,
    (select min(seq) from audit.events where seq > h.size)::float8 as beyond
  from (select true as single) as always left join audit.tree_head h using (single)`

const selectCheckpoints = `
  select size::float8 as size, leaves, frontier, note,
    to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as time
  from audit.checkpoints c`
const selectEvents = `
  select seq::float8 as seq, id, content, to_jsonb(e) - 'seq' - 'content' as columns
  from audit.events e where seq > ? and seq <= ? order by e.seq, id`

/** Reads the head of the log in any state. All values are of the same moment: it is one query. */
export async function readEnd(db: Database): Promise<LogEnd> {
  const [row] = await db.execute<LogEnd>(selectEnd)
  if (!row) throw new Error('The head of the log could not be read.')
  return row
}

/** Returns the newest checkpoint of at most `size` events. */
export async function checkpointUpTo(db: Database, size: number): Promise<CheckpointRow | undefined> {
  const select = `${selectCheckpoints} where c.size <= ? order by c.size desc limit 1`
  const [row] = await db.execute<CheckpointRow>(select, [size])
  return row
}

/** Returns the checkpoint of the batch that contains an event. */
export async function checkpointOver(db: Database, seq: number): Promise<CheckpointRow | undefined> {
  const [row] = await db.execute<CheckpointRow>(`${selectCheckpoints} where c.size >= ? order by c.size limit 1`, [seq])
  return row
}

/** Yields checkpoints in order, from the first above `size` to that of the batch with `lastSeq`. */
export async function* checkpointsAfter(db: Database, size: number, lastSeq: number): AsyncGenerator<CheckpointRow> {
  const select = `${selectCheckpoints} where c.size > ? order by c.size limit ${checkpointsAtOnce}`
  for (let after = size; after < lastSeq; ) {
    const rows = await db.execute<CheckpointRow>(select, [after])
    for (const row of rows) {
      if (after < lastSeq) yield row
      after = row.size
    }
    if (rows.length < checkpointsAtOnce) return
  }
}

/**
 * Returns a function that reads the events of ascending sequence numbers: one each, unless
 * events were added or deleted. Reads one batch ahead, and holds at most two batches.
 */
export function eventsInOrder(db: Database, lastSeq: number): (seq: number) => Promise<StoredEvent[]> {
  let window = new Map<number, StoredEvent[]>()
  let until = 0
  let ahead: { after: number; rows: Promise<StoredEvent[]> } | undefined
  const read = (after: number) => {
    const rows = db.execute<StoredEvent>(selectEvents, [after, Math.min(after + eventsAtOnce, lastSeq)])
    // A verification that stops at a violation never awaits them.
    rows.catch(() => undefined)
    return { after, rows }
  }
  return async seq => {
    if (seq > until) {
      const { rows } = ahead?.after === seq - 1 ? ahead : read(seq - 1)
      until = Math.min(seq - 1 + eventsAtOnce, lastSeq)
      ahead = until < lastSeq ? read(until) : undefined
      window = Map.groupBy(await rows, row => row.seq)
    }
    return window.get(seq) ?? []
  }
}
