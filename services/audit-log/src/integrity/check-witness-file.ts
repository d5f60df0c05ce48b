import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Database } from '@cobro/database'
import { isSigned, readNote } from '../tree/checkpoint-note.ts'
import { type IntegrityViolation, violationAt } from './integrity-violation.ts'
import { type LogVerifier, readEnd } from './read-log.ts'

const notesAtOnce = 1_000

/** The result of comparing the witness file with the log. */
export interface WitnessResult {
  /** The size of the newest checkpoint that the log also has; 0 if there is none. */
  newest: number
  /** How many notes were ignored because they have no valid signature by a known key. */
  unsigned: number
  violation: IntegrityViolation | null
}

/**
 * Compares every checkpoint stored outside the database with the log's checkpoint of the same size,
 * which detects a log that was truncated or rewritten consistently. Reads a checkpoint file or the service's log.
 * Ignores notes without a valid signature, such as a truncated last line. If the log has events, a file without
 * checkpoints is a violation: it might have been emptied to hide a truncation.
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
      // Checkpoints of the log were verified there. Other notes count only if we signed them.
      const isKnown = known.get(at) === note
      if (isKnown) newest = Math.max(newest, at)
      else if (isSigned(note, keys)) return { newest, unsigned, violation: mismatch(at, size, note) }
      else unsigned++
    }
  }
  if (newest > 0 || size === 0) return { newest, unsigned, violation: null }
  const details = { expected: `checkpoints of a log of ${size} events in ${file}`, found: 'none' }
  return { newest, unsigned, violation: violationAt('checkpoint_missing', 1, details) }
}

function mismatch(at: number, size: number, note: string): IntegrityViolation {
  const details = { expected: note, found: `a log of ${size} events` }
  return at > size ? violationAt('log_rolled_back', size + 1, details) : violationAt('log_forked', at, details)
}

async function notesAt(db: Database, sizes: number[]): Promise<Map<number, string>> {
  const select =
    'select size, note from audit.checkpoints where size in (select jsonb_array_elements_text(?::jsonb)::bigint)'
  const rows = await db.execute<{ size: string; note: string }>(select, [JSON.stringify(sizes)])
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
