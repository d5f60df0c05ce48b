import type { World } from './dispatcher-service.ts'
import type { Received } from './test-receiver.ts'

/** Compares an endpoint's received requests with the attempts that the service recorded. */
export interface DeliveryTally {
  /** Events that the receiver did not get, or that are not recorded as delivered. */
  lost: number
  /** Requests without a recorded outcome. */
  duplicates: number
  /** Attempts recorded as unknown. */
  unknown: number
  /** Deliveries with more requests than recorded attempts, including unknown ones. */
  unexplained: number
  mostAttempts: number
  deliveries: number
}

interface Row {
  id: string
  event_id: string
  status: string
  known: number
  unknown: number
  numbers: number
}

export async function tallyDeliveries(
  world: World,
  webhookId: string,
  sent: Received[],
  eventIds: string[],
): Promise<DeliveryTally> {
  const rows = await world.db.read(em => em.execute<Row[]>(recorded, [webhookId]))
  const requests = Map.groupBy(sent, one => String(one.headers['x-service-delivery']))
  const succeeded = new Set(rows.filter(row => row.status === 'succeeded').map(row => row.event_id))
  const received = new Set(sent.map(one => JSON.parse(one.body.toString()).id))
  const beyond = rows.map(row => (requests.get(row.id)?.length ?? 0) - row.known)
  return {
    lost: eventIds.filter(id => !succeeded.has(id) || !received.has(id)).length,
    duplicates: beyond.reduce((sum, count) => sum + Math.max(count, 0), 0),
    unknown: rows.reduce((sum, row) => sum + row.unknown, 0),
    unexplained: rows.filter((row, at) => (beyond[at] ?? 0) > row.unknown).length,
    mostAttempts: Math.max(0, ...rows.map(row => row.numbers)),
    deliveries: rows.length,
  }
}

const recorded = `
  select d.id, d.event_id, d.status, count(a.number)::integer as numbers,
    (count(*) filter (where a.status_code is not null or a.error <> 'unknown'))::integer as known,
    (count(*) filter (where a.error = 'unknown'))::integer as unknown
  from webhooks.deliveries d left join webhooks.attempts a on a.delivery_id = d.id
  where d.webhook_id = ? group by d.id`
