import { ApiError, type Caller, type ListQuery } from '@cobro/contracts'
import { type Database, getRow, listRows, type Reader, scopeOf } from '@cobro/database'
import { AttemptEntity, type AttemptRow, DeliveryEntity, type DeliveryRow, SentEventEntity } from './delivery-entity.ts'

/** A delivery with what was sent and its attempts. */
export interface DeliveryWithHistory extends DeliveryRow {
  payload: string
  attempts: AttemptRow[]
}

const search = ['id', 'event_id', 'event', 'url']

/** One page of deliveries. */
export function listDeliveries({ db }: { db: Database }, caller: Caller, query: ListQuery) {
  return db.read(async em => {
    const scope = { ...scopeOf(caller), deleted_at: null }
    const page = await listRows(em, DeliveryEntity, caller, query, { search, scope })
    return { ...page, data: await allWithHistory(em, page.data) }
  })
}

/** One delivery. */
export function getDelivery({ db }: { db: Database }, caller: Caller, id: string): Promise<DeliveryWithHistory> {
  return db.read(async em => withHistory(em, await getRow(em, DeliveryEntity, caller, id)))
}

/** Adds to a delivery what was sent and its attempts. */
export async function withHistory(em: Reader, row: DeliveryRow): Promise<DeliveryWithHistory> {
  const [shown] = await allWithHistory(em, [row])
  if (!shown) throw new ApiError('not_found')
  return shown
}

async function allWithHistory(em: Reader, rows: DeliveryRow[]): Promise<DeliveryWithHistory[]> {
  const ids = rows.map(row => row.id)
  const events = await em.find(SentEventEntity, { id: { $in: rows.map(row => row.event_id) } })
  const attempts = await em.find(AttemptEntity, { delivery_id: { $in: ids } }, { orderBy: { number: 'asc' } })
  const bodies = new Map(events.map(event => [event.id, event.body.toString('utf8')]))
  const byDelivery = Map.groupBy(attempts, attempt => attempt.delivery_id)
  return rows.map(row => ({
    ...row,
    payload: bodies.get(row.event_id) ?? '',
    attempts: byDelivery.get(row.id) ?? [],
  }))
}
