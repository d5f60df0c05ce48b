import { ApiError, auditOperations, type ListQuery, maxVerified } from '@cobro/contracts'
import { type Database, withinDays } from '@cobro/database'
import { type Route, route } from '@cobro/http'
import { countFault } from '../tree/audit-faults.ts'
import type { VerifyingKey } from '../tree/checkpoint-keys.ts'
import { readNote } from '../tree/checkpoint-note.ts'
import { CheckpointEntity } from './checkpoint-entity.ts'
import { readEnd } from './read-log.ts'
import { verifyLog } from './verify-log.ts'

export function integrityRoutes({ db, keys }: { db: Database; keys: readonly VerifyingKey[] }): Route[] {
  return [
    route(auditOperations.integrity, async ({ query: { from_seq, to_seq } }) => {
      const end = await readEnd(db)
      const { size } = end
      refuseBeyond(size, { from_seq, to_seq })
      const toSeq = to_seq ?? (from_seq === undefined ? size : from_seq + maxVerified - 1)
      const fromSeq = from_seq ?? Math.max(1, toSeq - maxVerified + 1)
      const data = await verifyLog({ db, keys }, { fromSeq, toSeq }, end)
      if (data.first_fault) countFault('integrity')
      return { data }
    }),
    route(auditOperations.checkpoints, ({ query }) => listCheckpoints(db, query)),
    route(auditOperations.checkpointKeys, async () => ({ data: keys.map(({ text }) => ({ verifier_key: text })) })),
  ]
}

/** Of events that are not there nothing was verified: a log that was cut must not pass for a whole one. */
function refuseBeyond(size: number, places: Record<string, number | undefined>): void {
  const beyond = Object.keys(places).find(name => (places[name] ?? 0) > size)
  if (beyond) throw new ApiError('invalid_request', `${beyond}: the log ends at ${size}`)
}

/** By their size, which is also the order in which they were made. */
async function listCheckpoints(db: Database, query: ListQuery) {
  const { limit, offset, dir } = query
  const [rows, count] = await db.read(em =>
    em.findAndCount(CheckpointEntity, withinDays('created_at', query), {
      limit,
      offset,
      orderBy: { size: dir },
    }),
  )
  return { data: rows.map(shown), count, limit, offset }
}

/** What a checkpoint says, read from what was signed. One that somebody touched is shown as it is found. */
function shown({ size, note, created_at }: { size: number; note: string; created_at: Date }) {
  const told = readNote(note)
  const encoded = (bytes: Buffer | undefined) => bytes?.toString('base64') ?? ''
  return { size, root: encoded(told?.root), previous: encoded(told?.previous), note, created_at }
}
