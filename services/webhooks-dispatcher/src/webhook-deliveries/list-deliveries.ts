import { ApiError, type Caller, type Id, type ListQuery } from '@cobro/contracts'
import { type Database, getRow, listRows, type Reader, scopeOf } from '@cobro/database'
import {
  DeliveryEntity,
  type DeliveryRow,
  SentEventEntity,
  WebhookAttemptEntity,
  type WebhookAttemptRow,
} from './delivery-entity.ts'

/** A delivery with its payload and its newest attempts, oldest first. */
export interface DeliveryWithHistory extends DeliveryRow {
  payload: string
  attempts: WebhookAttemptRow[]
}

const maxAttemptsInList = 5
const maxAttemptsOfOne = 100

const search = ['id', 'event_id', 'event', 'url']

/** Returns a page of deliveries. */
export function listDeliveries({ db }: { db: Database }, caller: Caller, query: ListQuery) {
  return db.read(async em => {
    const scope = { ...scopeOf(caller), deleted_at: null }
    const page = await listRows(em, DeliveryEntity, caller, query, { search, scope })
    return { ...page, data: await allWithHistory(em, page.data, maxAttemptsInList) }
  })
}

export function getDelivery({ db }: { db: Database }, caller: Caller, id: Id<'whd'>): Promise<DeliveryWithHistory> {
  return db.read(async em => withHistory(em, await getRow(em, DeliveryEntity, caller, id)))
}

/** Adds the payload and the newest attempts to a delivery. */
export async function withHistory(em: Reader, row: DeliveryRow): Promise<DeliveryWithHistory> {
  const [delivery] = await allWithHistory(em, [row], maxAttemptsOfOne)
  if (!delivery) throw new ApiError('not_found')
  return delivery
}

async function allWithHistory(em: Reader, rows: DeliveryRow[], maxAttempts: number): Promise<DeliveryWithHistory[]> {
  if (rows.length === 0) return []
  const events = await em.find(SentEventEntity, { id: { $in: rows.map(row => row.event_id) } })
  const attempts = await newestAttempts(em, rows, maxAttempts)
  const bodies = new Map(events.map(event => [event.id, event.body.toString('utf8')]))
  const byDelivery = Map.groupBy(attempts, attempt => attempt.delivery_id)
  return rows.map(row => ({
    ...row,
    payload: bodies.get(row.event_id) ?? '',
    attempts: byDelivery.get(row.id)?.slice(-maxAttempts) ?? [],
  }))
}

/** Finds the newest attempts. Numbers have no gaps, but an attempt in flight has no row yet. */
function newestAttempts(em: Reader, rows: DeliveryRow[], maxAttempts: number): Promise<WebhookAttemptRow[]> {
  const few = rows.filter(row => row.attempt_count <= maxAttempts)
  const many = rows.filter(row => row.attempt_count > maxAttempts)
  const $or = [
    { delivery_id: { $in: few.map(row => row.id) } },
    ...many.map(({ id, attempt_count }) => ({ delivery_id: id, number: { $gte: attempt_count - maxAttempts } })),
  ]
  return em.find(WebhookAttemptEntity, { $or }, { orderBy: { number: 'asc' } })
}
