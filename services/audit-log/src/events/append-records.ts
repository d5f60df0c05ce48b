import { idTimeMs } from '@cobro/contracts'
import type { Tx } from '@cobro/database'
import { inNewTrace, meter, type TraceCarrier } from '@cobro/runtime'
import { addLeaves, type SignedCheckpoint } from '../tree/add-leaves.ts'
import type { LogWriter } from '../tree/log-writer.ts'
import { leafHash } from '../tree/merkle-tree.ts'
import { BrokenTree, lockHead } from '../tree/tree-head.ts'
import { contentColumns } from './audit-event-entity.ts'
import type { AuditRecord } from './audit-record.ts'

/** An event with the text to hash. */
interface Leaf {
  id: string
  text: string
  hash: Buffer
}

/** A leaf and the trace of its event. */
export interface TracedLeaf extends Leaf {
  trace: TraceCarrier
}

const lag = meter.createHistogram('cobro_audit_lag_seconds', {
  description: 'Time from an event to its audit log entry',
  unit: 's',
  advice: { explicitBucketBoundaries: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600] },
})

/** OpenTelemetry keeps at most 128 links of a span. */
const maxLinks = 128

const columns = contentColumns.join(', ')

/**
 * Postgres reads the columns from the exact bytes that are hashed: elements of `json`, unlike those
 * of `jsonb`, keep their text.
 */
const insert = `
  insert into audit.events (seq, content, ${columns})
  select ?::bigint + place, convert_to(leaf::text, 'UTF8'), ${columns}
  from json_array_elements(?::json) with ordinality as leaves (leaf, place),
    json_populate_record(null::audit.events, leaf)`

/**
 * The `limit` makes Postgres look up each id in the partition of its month. Without it,
 * and without statistics of a new partition, Postgres read the whole partition for each batch.
 */
const selectKnown = `
  select known.id from jsonb_array_elements_text(?::jsonb) as given (id)
  cross join lateral (select id from audit.events where events.id = given.id limit 1) as known`

/** Hashes an event on arrival, while Postgres writes the batch before. */
export function tracedLeaf(record: AuditRecord, trace: TraceCarrier): TracedLeaf {
  return { ...leafOf(record), trace }
}

/**
 * Appends a batch and its checkpoint in one transaction. Skips events that the log already has. The
 * batch has its own trace, with links to the traces of its events.
 */
export async function appendRecords(deps: LogWriter, batch: TracedLeaf[]): Promise<void> {
  const links = batch.slice(0, maxLinks).map(({ trace }) => trace)
  // The broker may deliver a message twice within one batch.
  const leaves = [...new Map(batch.map(leaf => [leaf.id, leaf])).values()]
  const attributes = { 'messaging.batch.message_count': batch.length }
  await inNewTrace('store audit events', { links, attributes }, async () => {
    const { appended, checkpoint } = await deps.db.write(tx => appendLeaves(tx, deps, leaves))
    for (const { id } of appended) lag.record((Date.now() - idTimeMs(id)) / 1_000)
    if (checkpoint) await deps.witness.store(checkpoint)
  })
}

/** Without a witness also to a log that lacks checkpoints, which only the acceptance of a restore may do. */
type Appending = Pick<LogWriter, 'key'> & Partial<Pick<LogWriter, 'witness'>>

/** Appends in `tx`. After its commit, the caller must store the checkpoint with the witness. */
export const appendInTransaction = async (tx: Tx, deps: Appending, record: AuditRecord) =>
  (await appendLeaves(tx, deps, [leafOf(record)])).checkpoint

function leafOf(record: AuditRecord): Leaf {
  const text = JSON.stringify(record)
  return { id: record.id, text, hash: leafHash(Buffer.from(text)) }
}

interface Appended {
  /** The leaves that the log did not have. */
  appended: Leaf[]
  /** There is none without new leaves. */
  checkpoint: SignedCheckpoint | undefined
}

async function appendLeaves(tx: Tx, { key, witness }: Appending, batch: Leaf[]): Promise<Appended> {
  const head = await lockHead(tx)
  await witness?.requireIn(tx, head)
  if (head.size < head.placed)
    throw new BrokenTree('The head of the log includes events that predate the tree and are not hashed yet.')
  // Queried under the lock of the head, so that no other replica adds one of them.
  const known = await tx.execute<{ id: string }[]>(selectKnown, [JSON.stringify(batch.map(({ id }) => id))])
  const knownIds = new Set(known.map(({ id }) => id))
  const appended = batch.filter(({ id }) => !knownIds.has(id))
  if (appended.length === 0) return { appended, checkpoint: undefined }
  await tx.execute(insert, [head.size, `[${appended.map(({ text }) => text).join()}]`])
  const hashes = appended.map(({ hash }) => hash)
  return { appended, checkpoint: await addLeaves(tx, key, head, hashes) }
}
