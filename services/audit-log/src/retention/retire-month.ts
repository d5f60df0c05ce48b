import { join } from 'node:path'
import { type Message, newId } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import type { Logger } from '@cobro/runtime'
import { appendInTransaction } from '../events/append-records.ts'
import { auditRecord } from '../events/audit-record.ts'
import { monthRetired } from '../integrity/signed-retirements.ts'
import type { VerifyingKey } from '../tree/checkpoint-keys.ts'
import type { LogWriter } from '../tree/log-writer.ts'
import { type ArchiveContents, checkArchive } from './check-archive.ts'
import { type Month, monthOf } from './log-month.ts'
import { placeArchive, withWrittenArchive } from './write-archive.ts'

/** What a month is retired with. */
export interface RetireDeps {
  log: LogWriter
  keys: readonly VerifyingKey[]
  /** As the role that may drop what was retired, and nothing else. */
  keeper: Database
  folder: string
  logger: Logger
}

const selectPartitions = `
  select inhrelid::regclass::text as name from pg_inherits where inhparent = 'audit.events'::regclass order by 1`

/** The months that the log still has, the oldest first. */
export async function monthsOf(db: Database): Promise<Month[]> {
  const rows = await db.read(em => em.execute<{ name: string }[]>(selectPartitions))
  return rows.map(({ name }) => monthOf(name))
}

/**
 * Takes a month out of the database: exports it, reads the export back and holds it against the signed tree, says in the log
 * itself which events go, and drops them. May be repeated wherever it broke off.
 */
export async function retireMonth({ log, keys, keeper, folder, logger }: RetireDeps, month: Month): Promise<void> {
  const file = join(folder, `events-${month.name}.ndjson.gz`)
  await withWrittenArchive(log.db, month, file, async unfinished => {
    const contents = await checkArchive({ db: log.db, keys }, unfinished)
    const earlier = await retiredContents(log.db, month)
    if (earlier === undefined) await recordRetirement(log, month, contents)
    else if (earlier.sha256 !== contents.sha256)
      throw new Error(`${month.name} was retired with other events than it has now: verify the log.`)
    // Only now: under its name there is never anything but what the log says that went.
    await placeArchive(unfinished, file)
    await keeper.read(em => em.execute('select audit.drop_partition(?::date)', [`${month.name}-01`]))
    logger.info({ month: month.name, file, ...contents }, 'retired a month of the log')
  })
}

async function retiredContents(db: Database, month: Month): Promise<ArchiveContents | undefined> {
  const select = 'select content from audit.retirements where month = ?::date'
  const [row] = await db.read(em => em.execute<{ content: Buffer }[]>(select, [`${month.name}-01`]))
  return row && (JSON.parse(row.content.toString()) as { metadata: ArchiveContents }).metadata
}

/** The event that excuses the missing ones is signed like any other. A copy of it outlives its own month. */
async function recordRetirement(
  { db, key, witness }: LogWriter,
  month: Month,
  contents: ArchiveContents,
): Promise<void> {
  const record = { ...recordOf(), metadata: { month: month.name, ...contents } }
  const insert = `
    insert into audit.retirements (month, seq, content) select ?::date, seq, content from audit.events where id = ?`
  const checkpoint = await db.write(async tx => {
    const signed = await appendInTransaction(tx, key, record)
    await tx.execute(insert, [`${month.name}-01`, record.id])
    return signed
  })
  if (checkpoint) await witness(checkpoint)
}

function recordOf() {
  const message: Message = {
    id: newId('evt'),
    name: monthRetired,
    occurred_at: new Date().toISOString(),
    merchant_id: null,
    target_id: null,
    correlation_id: null,
    request_id: null,
    actor: { type: 'system', id: null },
    data: {},
  }
  const record = auditRecord(message, null)
  if (!record) throw new Error(`${monthRetired} is of no interest to the log.`)
  return record
}
