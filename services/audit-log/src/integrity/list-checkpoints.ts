import type { ListQuery } from '@cobro/contracts'
import { type Database, withinRange } from '@cobro/database'
import { readNote } from '../tree/checkpoint-note.ts'
import { CheckpointEntity } from './checkpoint-entity.ts'

/** Returns a page of checkpoints, ordered by size, which is the order they were created in. */
export async function listCheckpoints(db: Database, query: ListQuery) {
  const { limit, offset, dir, counted } = query
  const where = withinRange('created_at', query)
  const [rows, count] = await db.read(em =>
    Promise.all([
      em.find(CheckpointEntity, where, { limit, offset, orderBy: { size: dir } }),
      counted ? em.count(CheckpointEntity, where) : null,
    ]),
  )
  return { data: rows.map(checkpointOf), count, limit, offset }
}

/** Reads a checkpoint from its note. A note that was tampered with is returned as found. */
function checkpointOf({ size, note, created_at }: { size: number; note: string; created_at: Date }) {
  const checkpoint = readNote(note)
  const encode = (bytes: Buffer | undefined) => bytes?.toString('base64') ?? ''
  return { size, root: encode(checkpoint?.root), previous: encode(checkpoint?.previous), note, created_at }
}
