import type { World } from './dispatcher-service.ts'
import type { Received } from './webhook-receiver.ts'

/** What became of the events of one endpoint, by what the receiver saw and what the service has on record. */
export interface Account {
  /** Events that the receiver never answered with a success, or that are not recorded as delivered. */
  lost: number
  /** Requests beyond the attempts whose outcome is on record, and the attempts on record as unknown. */
  duplicates: number
  unknown: number
  /** Deliveries that got requests beyond what is on record, unknown attempts included. */
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

/** Holds what an endpoint was to get against what it got. */
export async function accountOf(
  world: World,
  webhookId: string,
  sent: Received[],
  eventIds: string[],
): Promise<Account> {
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
