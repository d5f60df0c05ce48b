import { withoutEmail } from '@cobro/contracts'
import type { Database, Emit, Tx } from '@cobro/database'
import { erasureBatch, isNothing, type PayerData } from '@cobro/service'
import { endedStatusesSql } from '../delivery-queue/delivery-states.ts'

/** An event and its bytes as text. */
interface EventText {
  id: string
  payload: string
}

type Payload = { data: Record<string, unknown> }

const ofPayer = 'select id from webhooks.events where webhooks.payer_of(body) = ?'

/**
 * Events whose deliveries have all ended. They are locked, as where a past event is sent. Materialized: with a limit, the planner may
 * read the whole table instead of the payer's events by their index.
 */
const lockedEvents = `
  select id, convert_from(body, 'UTF8') as payload from webhooks.events
  where id = any(array(
    with mine as materialized (${ofPayer})
    select id from mine where not exists (
      select from webhooks.deliveries d where d.event_id = mine.id and d.status not in (${endedStatusesSql}))
    limit ${erasureBatch}))
  order by id for update`

const replaceBodies = `
  update webhooks.events e set body = convert_to(n.payload, 'UTF8')
  from json_to_recordset(?::json) as n (id text, payload text) where e.id = n.id`

/** What an endpoint answered is only there to read, and may repeat what it received. */
const eraseAnswers = `
  with answered as (
    update webhooks.deliveries set response_body = null where event_id = any(?) returning id
  )
  update webhooks.attempts set response_body = null where delivery_id in (select id from answered)`

const exportedEvents = `
  select e.id, e.event, e.merchant_id, convert_from(e.body, 'UTF8')::json as payload, (
    select coalesce(json_agg(json_build_object('id', d.id, 'webhook_id', d.webhook_id, 'status', d.status,
      'created_at', d.created_at, 'delivered_at', d.delivered_at) order by d.id), '[]')
    from webhooks.deliveries d where d.event_id = e.id) as deliveries
  from webhooks.events e where webhooks.payer_of(e.body) = ? order by e.id`

/** How webhooks-dispatcher exports and erases what it holds about a payer. */
export const webhooksPayerData: PayerData = {
  schema: 'webhooks',
  entities: [],
  find: async (tx: Tx, emit: Emit, email: string) => {
    const webhook_events = await tx.execute<object[]>(exportedEvents, [email])
    emit('payer.exported', { id: null, webhook_events: webhook_events.length })
    return { webhook_events }
  },
  eraseBatch,
  countWaiting: async (db: Database, email: string) => {
    const [row] = await db.execute<{ count: number }>(`select count(*)::integer as count from (${ofPayer}) e`, [email])
    return row?.count ?? 0
  },
}

/** Keeps the events and their numbers in the feed: only their bytes change, which are signed when they are sent. */
async function eraseBatch(tx: Tx, emit: Emit, { email, always }: { email: string; always: boolean }) {
  const events = await tx.execute<EventText[]>(lockedEvents, [email])
  const counts = { webhook_events: events.length }
  if (!isNothing(counts)) {
    const erased = events.map(({ id, payload }) => ({ id, payload: withoutPayer(payload, email) }))
    await tx.execute(replaceBodies, [JSON.stringify(erased)])
    await tx.execute(eraseAnswers, [`{${events.map(({ id }) => id).join(',')}}`])
  }
  if (always || !isNothing(counts)) emit('payer.erased', { id: null, ...counts })
  return counts
}

/** The fields of an event's object that say who paid. */
const payerFields = ['payer_email', 'customer', 'customer_ref']

/** Returns an event without its payer. The fields stay, as null: the object keeps the shape that receivers expect. */
function withoutPayer(payload: string, email: string): string {
  const event = JSON.parse(payload) as Payload
  const fields = Object.entries(event.data).map(([name, value]) => [
    name,
    payerFields.includes(name) ? null : name === 'metadata' ? withoutEmail(value, email) : value,
  ])
  return JSON.stringify({ ...event, data: Object.fromEntries(fields) })
}
