import { ApiError, cursorExpected, type ListPosition, type ListQuery } from '@cobro/contracts'
import { cutPage, type Database, withinRange } from '@cobro/database'
import { readNote } from '../tree/checkpoint-note.ts'
import { CheckpointEntity } from './checkpoint-entity.ts'

/** Returns a page of checkpoints, ordered by size, which is the order they were created in. */
export async function listCheckpoints(db: Database, query: ListQuery) {
  const { limit, offset, dir, counted, after } = query
  const where = withinRange('created_at', query)
  const rest = after ? { $and: [where, { size: { [dir === 'asc' ? '$gt' : '$lt']: sizeAt(after) } }] } : where
  const [rows, count] = await db.read(em =>
    Promise.all([
      em.find(CheckpointEntity, rest, { limit: limit + 1, offset, orderBy: { size: dir } }),
      counted ? em.count(CheckpointEntity, where) : null,
    ]),
  )
  const { data, next } = cutPage(rows, limit, ({ size, created_at }) => ({ at: created_at, id: String(size) }))
  return { data: data.map(checkpointOf), count, limit, offset, next }
}

/** Returns the size of the log at a checkpoint, which is the id in its position. */
function sizeAt({ id }: ListPosition): number {
  if (/^\d{1,15}$/.test(id)) return Number(id)
  throw new ApiError('invalid_request', `cursor: ${cursorExpected}`)
}

/** Reads a checkpoint from its note. A note that was tampered with is returned as found. */
function checkpointOf({ size, note, created_at }: { size: number; note: string; created_at: Date }) {
  const checkpoint = readNote(note)
  const encode = (bytes: Buffer | undefined) => bytes?.toString('base64') ?? ''
  return { size, root: encode(checkpoint?.root), previous: encode(checkpoint?.previous), note, created_at }
}
