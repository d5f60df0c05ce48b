import { idTimeMs } from '@cobro/contracts'
import { executeBound, type Tx } from '@cobro/database'
import { captureTrace, inNewTrace, meter, type TraceCarrier } from '@cobro/runtime'
import { addLeaves, type SignedCheckpoint } from '../tree/add-leaves.ts'
import type { SigningKey } from '../tree/checkpoint-keys.ts'
import type { LogWriter } from '../tree/log-writer.ts'
import { leafHash } from '../tree/merkle-tree.ts'
import { BrokenTree, lockHead } from '../tree/tree-head.ts'
import { contentColumns } from './audit-event-entity.ts'
import type { AuditRecord } from './audit-record.ts'

/** An event as it is hashed. */
interface Leaf {
  id: string
  text: string
  hash: Buffer
}

/** A leaf and the trace in which its event was received. */
export interface TracedLeaf extends Leaf {
  trace: TraceCarrier
}

const lag = meter.createHistogram('cobro_audit_lag_seconds', {
  description: 'Time from an event to its audit log entry',
  unit: 's',
  advice: { explicitBucketBoundaries: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600] },
})

/** OpenTelemetry keeps at most this many links of a span. */
const maxLinks = 128

const told = contentColumns.join(', ')

/**
 * The columns are read from the very bytes that are hashed. As elements of `json`, unlike those of `jsonb`, they come out as they
 * went in.
 */
const insert = `
  insert into audit.events (seq, content, ${told})
  select $1::bigint + place, convert_to(leaf::text, 'UTF8'), ${told}
  from json_array_elements($2::json) with ordinality as leaves (leaf, place),
    json_populate_record(null::audit.events, leaf)`

/**
 * The limit leaves Postgres no choice but to look each id up, in the one month that it lies in. Of a new month it knows too
 * little to choose well: it read the whole partition for each batch.
 */
const selectKnown = `
  select known.id from jsonb_array_elements_text($1::jsonb) as given (id)
  cross join lateral (select id from audit.events where events.id = given.id limit 1) as known`

/** Hashes an event as it arrives: while Postgres is busy with the batch before, not while it waits for this one. */
export function tracedLeaf(record: AuditRecord): TracedLeaf {
  return { ...leafOf(record), trace: captureTrace() }
}

/**
 * Appends a batch, with its checkpoint, in one transaction. An event that is there already is left out. A batch has many
 * causes, so it has a trace of its own that is linked to theirs.
 */
export async function appendRecords(deps: LogWriter, batch: TracedLeaf[]): Promise<void> {
  const links = batch.slice(0, maxLinks).map(({ trace }) => trace)
  // One for each id: the broker may bring a message twice within one batch.
  const leaves = [...new Map(batch.map(leaf => [leaf.id, leaf])).values()]
  const attributes = { 'messaging.batch.message_count': batch.length }
  await inNewTrace('store audit events', { links, attributes }, async () => {
    const checkpoint = await deps.db.write(tx => appendLeaves(tx, deps.key, leaves))
    for (const { id } of leaves) lag.record((Date.now() - idTimeMs(id)) / 1_000)
    if (checkpoint) await deps.witness(checkpoint)
  })
}

/** Appends within a transaction of the caller's, who has the checkpoint written outside once it is committed. */
export const appendInTransaction = (
  tx: Tx,
  key: SigningKey,
  record: AuditRecord,
): Promise<SignedCheckpoint | undefined> => appendLeaves(tx, key, [leafOf(record)])

function leafOf(record: AuditRecord): Leaf {
  const text = JSON.stringify(record)
  return { id: record.id, text, hash: leafHash(Buffer.from(text)) }
}

async function appendLeaves(tx: Tx, key: SigningKey, batch: Leaf[]): Promise<SignedCheckpoint | undefined> {
  const head = await lockHead(tx)
  if (head.size < head.placed) throw new BrokenTree('The end of the log still waits for rows from before the tree.')
  // Looked up while the end is held, so that nobody adds one of them meanwhile.
  const known = await knownIds(tx, batch)
  const fresh = batch.filter(({ id }) => !known.has(id))
  if (fresh.length === 0) return undefined
  await executeBound(tx, insert, [head.size, `[${fresh.map(({ text }) => text).join()}]`])
  return addLeaves(
    tx,
    key,
    head,
    fresh.map(({ hash }) => hash),
  )
}

async function knownIds(tx: Tx, batch: Leaf[]): Promise<Set<string>> {
  const rows = await executeBound<{ id: string }>(tx, selectKnown, [JSON.stringify(batch.map(({ id }) => id))])
  return new Set(rows.map(({ id }) => id))
}
