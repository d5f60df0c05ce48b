import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Database } from '@cobro/database'
import { type ExportedEvent, ndjsonLine } from '../export/export-line.ts'
import type { Month } from './log-month.ts'

const eventsAtOnce = 2_000
const select = `
  select seq::float8 as seq, content from audit.events e where id >= ? and id < ? and seq > ? order by e.seq limit ?`

/**
 * Writes a month's events as compressed NDJSON, by sequence number, to a temporary file beside
 * the archive. Syncs it to disk before `use` gets its name, and deletes it afterwards unless `use` placed it.
 */
export async function withWrittenArchive(
  db: Database,
  month: Month,
  file: string,
  use: (unfinished: string) => Promise<void>,
): Promise<void> {
  const unfinished = `${file}.${randomUUID()}.unfinished`
  try {
    await pipeline(linesOf(db, month), createGzip(), createWriteStream(unfinished, { mode: 0o600 }))
    await syncToDisk(unfinished)
    await use(unfinished)
  } finally {
    await rm(unfinished, { force: true })
  }
}

/** Renames a verified file to the archive. Replaces any existing one, which must be the same. */
export async function placeArchive(checked: string, file: string): Promise<void> {
  await rename(checked, file)
  await syncToDisk(dirname(file))
}

async function* linesOf(db: Database, { lowest, below }: Month): AsyncGenerator<string> {
  for (let after = 0, more = true; more; ) {
    const events = await db.execute<ExportedEvent>(select, [lowest, below, after, eventsAtOnce])
    for (const event of events) yield ndjsonLine(event)
    after = events.at(-1)?.seq ?? after
    more = events.length === eventsAtOnce
  }
}

async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path)
  await handle.sync().finally(() => handle.close())
}
