import type { Database } from '@cobro/database'
import type { SignedCheckpoint } from '../tree/add-leaves.ts'
import { checkpointsIn } from '../tree/checkpoint-file.ts'
import { isSigned } from '../tree/checkpoint-note.ts'
import type { CheckpointWitness } from '../tree/checkpoint-witness.ts'
import { noteAt } from '../tree/tree-head.ts'
import { type IntegrityViolation, violationAt } from './integrity-violation.ts'
import { type LogVerifier, readEnd } from './read-log.ts'
import { isExplained, signedRestores } from './signed-restores.ts'

const checkpointsAtOnce = 1_000

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
export async function checkWitnessFile(deps: LogVerifier, file: string): Promise<WitnessResult> {
  const { size } = await readEnd(deps.db)
  let newest = 0
  let unsigned = 0
  for await (const { checkpoint, state } of comparedCheckpoints(deps, file)) {
    if (state === 'known') newest = Math.max(newest, checkpoint.size)
    if (state === 'unsigned') unsigned++
    if (state === 'lost') return { newest, unsigned, violation: lossOf(checkpoint, size) }
  }
  if (newest > 0 || size === 0) return { newest, unsigned, violation: null }
  const details = { expected: `checkpoints of a log of ${size} events in ${file}`, found: 'none' }
  return { newest, unsigned, violation: violationAt('checkpoint_missing', 1, details) }
}

/** Compares the newest checkpoint that `witness` knows with a log of this size. `size` is null without one. */
export async function checkTail(
  db: Database,
  witness: CheckpointWitness,
  size: number,
): Promise<{ size: number | null; violation: IntegrityViolation | null }> {
  const newest = witness.newest()
  if (newest === undefined) return { size: null, violation: null }
  const isIn = (await db.read(em => noteAt(em, newest.size))) === newest.note
  return isIn ? { size: newest.size, violation: null } : { size: null, violation: lossOf(newest, size) }
}

/** Returns the violation of a log of this size that lacks a signed checkpoint. */
function lossOf({ size: at, note }: SignedCheckpoint, size: number): IntegrityViolation {
  const details = { expected: note, found: `a log of ${size} events` }
  return at > size ? violationAt('log_rolled_back', size + 1, details) : violationAt('log_forked', at, details)
}

interface ComparedCheckpoint {
  checkpoint: SignedCheckpoint
  /** `lost`: the log lacks it. `explained`: the log lacks it, and has accepted a restore that explains this. */
  state: 'known' | 'lost' | 'explained' | 'unsigned'
}

/** Yields each checkpoint in a file, oldest first, compared with the log's checkpoint of its size. */
export async function* comparedCheckpoints(deps: LogVerifier, file: string): AsyncGenerator<ComparedCheckpoint> {
  const { restores } = await signedRestores(deps)
  for await (const batch of batchesOf(checkpointsIn(file))) {
    const known = await notesAt(deps.db, batch)
    for (const checkpoint of batch) {
      // Checkpoints of the log were verified there. Others count only if we signed them.
      if (known.get(checkpoint.size) === checkpoint.note) yield { checkpoint, state: 'known' }
      else if (!isSigned(checkpoint.note, deps.keys)) yield { checkpoint, state: 'unsigned' }
      else yield { checkpoint, state: isExplained(restores, checkpoint) ? 'explained' : 'lost' }
    }
  }
}

async function notesAt(db: Database, checkpoints: SignedCheckpoint[]): Promise<Map<number, string>> {
  const select =
    'select size, note from audit.checkpoints where size in (select jsonb_array_elements_text(?::jsonb)::bigint)'
  const sizes = checkpoints.map(({ size }) => size)
  const rows = await db.execute<{ size: string; note: string }>(select, [JSON.stringify(sizes)])
  return new Map(rows.map(({ size, note }) => [Number(size), note]))
}

async function* batchesOf<T>(items: AsyncIterable<T>): AsyncGenerator<T[]> {
  let batch: T[] = []
  for await (const item of items) {
    batch.push(item)
    if (batch.length < checkpointsAtOnce) continue
    yield batch
    batch = []
  }
  yield batch
}
