import { ApiError, type Caller, type ListQuery } from '@cobro/contracts'
import { type Database, getRow, listRows, type Reader, scopeOf } from '@cobro/database'
import { AttemptEntity, type AttemptRow, DeliveryEntity, type DeliveryRow, SentEventEntity } from './delivery-entity.ts'

/** A delivery with what was sent and its newest attempts, the oldest of these first. */
export interface DeliveryWithHistory extends DeliveryRow {
  payload: string
  attempts: AttemptRow[]
}

const attemptsInList = 5
const attemptsOfOne = 100

const search = ['id', 'event_id', 'event', 'url']

/** One page of deliveries. */
export function listDeliveries({ db }: { db: Database }, caller: Caller, query: ListQuery) {
  return db.read(async em => {
    const scope = { ...scopeOf(caller), deleted_at: null }
    const page = await listRows(em, DeliveryEntity, caller, query, { search, scope })
    return { ...page, data: await allWithHistory(em, page.data, attemptsInList) }
  })
}

/** One delivery. */
export function getDelivery({ db }: { db: Database }, caller: Caller, id: string): Promise<DeliveryWithHistory> {
  return db.read(async em => withHistory(em, await getRow(em, DeliveryEntity, caller, id)))
}

/** Adds to a delivery what was sent and its newest attempts. */
export async function withHistory(em: Reader, row: DeliveryRow): Promise<DeliveryWithHistory> {
  const [shown] = await allWithHistory(em, [row], attemptsOfOne)
  if (!shown) throw new ApiError('not_found')
  return shown
}

async function allWithHistory(em: Reader, rows: DeliveryRow[], shown: number): Promise<DeliveryWithHistory[]> {
  if (rows.length === 0) return []
  const events = await em.find(SentEventEntity, { id: { $in: rows.map(row => row.event_id) } })
  const attempts = await newestAttempts(em, rows, shown)
  const bodies = new Map(events.map(event => [event.id, event.body.toString('utf8')]))
  const byDelivery = Map.groupBy(attempts, attempt => attempt.delivery_id)
  return rows.map(row => ({
    ...row,
    payload: bodies.get(row.event_id) ?? '',
    attempts: byDelivery.get(row.id)?.slice(-shown) ?? [],
  }))
}

/** Attempts are numbered without gaps; that of a delivery which is being sent is counted already, and not there yet. */
function newestAttempts(em: Reader, rows: DeliveryRow[], shown: number): Promise<AttemptRow[]> {
  const [few, many] = [rows.filter(row => row.attempt_count <= shown), rows.filter(row => row.attempt_count > shown)]
  const $or = [
    { delivery_id: { $in: few.map(row => row.id) } },
    ...many.map(({ id, attempt_count }) => ({ delivery_id: id, number: { $gte: attempt_count - shown } })),
  ]
  return em.find(AttemptEntity, { $or }, { orderBy: { number: 'asc' } })
}
