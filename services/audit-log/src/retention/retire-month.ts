import { join } from 'node:path'
import { message, newId } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import type { Logger } from '@cobro/runtime'
import { appendInTransaction } from '../events/append-records.ts'
import { type AuditRecord, auditRecord } from '../events/audit-record.ts'
import { monthRetired } from '../integrity/signed-retirements.ts'
import type { VerifyingKey } from '../tree/checkpoint-keys.ts'
import type { LogWriter } from '../tree/log-writer.ts'
import { type ArchiveContents, checkArchive } from './check-archive.ts'
import { type Month, monthOf } from './log-month.ts'
import { placeArchive, withWrittenArchive } from './write-archive.ts'

interface RetireDeps {
  log: LogWriter
  keys: readonly VerifyingKey[]
  /** Connected as `cobro_audit_keeper`, the only role that may drop retired months. */
  keeper: Database
  folder: string
  logger: Logger
}

const selectPartitions = `
  select inhrelid::regclass::text as name from pg_inherits where inhparent = 'audit.events'::regclass order by 1`

/** Returns the months that the log has, oldest first. */
export async function monthsOf(db: Database): Promise<Month[]> {
  const rows = await db.execute<{ name: string }>(selectPartitions)
  return rows.map(({ name }) => monthOf(name))
}

/**
 * Exports a month, verifies the export against the signed tree, records in the log which events
 * are removed, and drops them. An interrupted run can be repeated.
 */
export async function retireMonth({ log, keys, keeper, folder, logger }: RetireDeps, month: Month): Promise<void> {
  const file = join(folder, `events-${month.name}.ndjson.gz`)
  await withWrittenArchive(log.db, month, file, async unfinished => {
    const contents = await checkArchive({ db: log.db, keys }, unfinished)
    const earlier = await retiredContents(log.db, month)
    if (earlier === undefined) await recordRetirement(log, month, contents)
    else if (earlier.sha256 !== contents.sha256)
      throw new Error(`${month.name} was retired with different events than it has now: verify the log.`)
    // Only after the event: a file with the final name always has the events that the log records as removed.
    await placeArchive(unfinished, file)
    await keeper.execute('select audit.drop_partition(?::date)', [`${month.name}-01`])
    logger.info({ month: month.name, file, ...contents }, 'retired a month of the log')
  })
}

async function retiredContents(db: Database, month: Month): Promise<ArchiveContents | undefined> {
  const select = 'select content from audit.retirements where month = ?::date'
  const [row] = await db.execute<{ content: Buffer }>(select, [`${month.name}-01`])
  return row && (JSON.parse(row.content.toString()) as { metadata: ArchiveContents }).metadata
}

/** Appends the signed event that explains the missing ones, and copies it to outlive its month. */
async function recordRetirement(log: LogWriter, month: Month, contents: ArchiveContents) {
  const record = retirementRecord({ month: month.name, ...contents })
  const insert = `
    insert into audit.retirements (month, seq, content) select ?::date, seq, content from audit.events where id = ?`
  const checkpoint = await log.db.write(async tx => {
    const signed = await appendInTransaction(tx, log, record)
    await tx.execute(insert, [`${month.name}-01`, record.id])
    return signed
  })
  if (checkpoint) await log.witness.store(checkpoint)
}

function retirementRecord(metadata: Record<string, unknown>): AuditRecord {
  const at = new Date().toISOString()
  const record = auditRecord(message.parse({ id: newId('evt'), name: monthRetired, occurred_at: at, data: {} }), null)
  if (!record) throw new Error(`${monthRetired} has no audit category.`)
  return { ...record, metadata }
}
