import type { Database } from '@cobro/database'
import { captureTrace, inNewTrace, type TraceCarrier } from '@cobro/runtime'
import { AuditEventEntity } from './audit-event-entity.ts'
import type { AuditRecord } from './audit-record.ts'

/** A record and the trace in which it was received. */
export interface TracedRecord {
  record: AuditRecord
  trace: TraceCarrier
}

/** OpenTelemetry keeps at most this many links of a span. */
const maxLinks = 128

const columns = Object.keys(AuditEventEntity.meta.properties).join(', ')
const insert = `
  insert into audit.events (${columns})
  select ${columns} from jsonb_populate_recordset(null::audit.events, ?::jsonb)
  on conflict do nothing`

export function traced(record: AuditRecord): TracedRecord {
  return { record, trace: captureTrace() }
}

/**
 * Stores a batch in one statement. An event that is there already is left out. A batch has many causes, so it has a trace of
 * its own that is linked to theirs.
 */
export async function storeRecords({ db }: { db: Database }, batch: TracedRecord[]): Promise<void> {
  const links = batch.slice(0, maxLinks).map(({ trace }) => trace)
  const rows = JSON.stringify(batch.map(({ record }) => record))
  await inNewTrace('store audit events', { links, attributes: { 'messaging.batch.message_count': batch.length } }, () =>
    db.write(tx => tx.execute(insert, [rows])),
  )
}
