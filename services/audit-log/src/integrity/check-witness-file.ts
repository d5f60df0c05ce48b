import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Database } from '@cobro/database'
import { isSigned, readNote } from '../tree/checkpoint-note.ts'
import { type IntegrityViolation, violationAt } from './integrity-violation.ts'
import type { LogVerifier } from './read-log.ts'
import { readEnd } from './read-log.ts'

const notesAtOnce = 1_000

/** What the checkpoints outside the database say of the log. */
export interface WitnessResult {
  /** How many events the newest one vouches for that the log has as well; 0 where there is none. */
  newest: number
  /** How many notes bear no good signature of a known key. They count for nothing. */
  unsigned: number
  fault: IntegrityViolation | null
}

/**
 * Holds every checkpoint that was written outside the database against the log: the log still has that size, and at it that
 * very checkpoint. So a log that was cut, be it ever so cleanly, and a log that went on differently are found. Takes the file
 * of checkpoints, and the service's own log as well. What bears no good signature is no checkpoint and counts for nothing, such
 * as a last line that was cut off; a file without a single checkpoint of a log that has events does not pass, since a log could
 * be cut unseen where somebody emptied it.
 */
export async function checkWitnessFile({ db, keys }: LogVerifier, file: string): Promise<WitnessResult> {
  const { size } = await readEnd(db)
  let newest = 0
  let unsigned = 0
  for await (const notes of batchesOf(notesIn(file))) {
    const sizes = notes.map(note => readNote(note)?.size ?? 0)
    const known = await notesAt(db, sizes)
    for (const [i, note] of notes.entries()) {
      const at = sizes[i] ?? 0
      // What the log holds was checked there. Of the others only what we signed says anything.
      const isKnown = known.get(at) === note
      if (isKnown) newest = Math.max(newest, at)
      else if (isSigned(note, keys)) return { newest, unsigned, fault: oddCheckpoint(at, size, note) }
      else unsigned++
    }
  }
  const isEmpty = newest === 0 && size > 0
  return { newest, unsigned, fault: isEmpty ? noCheckpointIn(file, size) : null }
}

function noCheckpointIn(file: string, size: number): IntegrityViolation {
  const details = { expected: `checkpoints of a log of ${size} events in ${file}`, found: 'none' }
  return violationAt('checkpoint_missing', 1, details)
}

function oddCheckpoint(at: number, size: number, note: string): IntegrityViolation {
  const details = { expected: note, found: `a log of ${size} events` }
  return at > size ? violationAt('log_rolled_back', size + 1, details) : violationAt('log_forked', at, details)
}

async function notesAt(db: Database, sizes: number[]): Promise<Map<number, string>> {
  const select =
    'select size, note from audit.checkpoints where size in (select jsonb_array_elements_text(?::jsonb)::bigint)'
  const rows = await db.read(em => em.execute<{ size: string; note: string }[]>(select, [JSON.stringify(sizes)]))
  return new Map(rows.map(({ size, note }) => [Number(size), note]))
}

async function* notesIn(file: string): AsyncGenerator<string> {
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    const note = noteOf(line)
    if (note !== undefined) yield note
  }
}

function noteOf(line: string): string | undefined {
  try {
    const { note } = JSON.parse(line) as { note?: unknown }
    return typeof note === 'string' ? note : undefined
  } catch {
    return undefined
  }
}

async function* batchesOf<T>(items: AsyncIterable<T>): AsyncGenerator<T[]> {
  let batch: T[] = []
  for await (const item of items) {
    batch.push(item)
    if (batch.length < notesAtOnce) continue
    yield batch
    batch = []
  }
  yield batch
}
