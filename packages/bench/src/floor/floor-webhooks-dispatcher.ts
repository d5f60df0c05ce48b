import { createHmac } from 'node:crypto'
import { newId } from '@cobro/contracts'
import { Agent, request } from 'undici'
import { floorOutbox } from './floor-outbox.ts'
import { insertAll, type Row, runStatement } from './floor-statements.ts'
import {
  connect,
  type FloorMessage,
  type FloorSettings,
  inBatches,
  openBroker,
  runFloorProcess,
} from './floor-wiring.ts'
import type { WebhookRows } from './payment-rows.ts'

const events = ['checkout_session.created', 'payment.approved', 'checkout_session.completed']
const concludeMs = 5

/** Returns a number that no event has, also of an earlier run: the floor does not number them without gaps. */
const nextSequence = () => ++sequence
let sequence = Date.now() * 1_000

interface Delivery {
  row: Row
  body: string
}

/** Stores a delivery for each event, sends it signed, and stores what came of it. */
runFloorProcess<WebhookRows>(async ({ postgresUrl, amqpUrl, rows, endpoint }) => {
  const pool = connect(postgresUrl, 'webhooks')
  const { publish, consume } = await openBroker(amqpUrl)
  const outbox = floorOutbox(pool, 'webhooks', publish)
  const agent = new Agent({ connections: 128 })

  const conclude = inBatches<Delivery>(concludeMs, async batch => {
    const ids = batch.map(({ row }) => row.id)
    const attempts = ids.map(delivery_id => ({ ...rows.webhookAttempt, delivery_id, at: new Date() }))
    const parts = [
      insertAll('webhook_attempts', attempts),
      {
        sql: `update floor.deliveries set status = 'succeeded', attempt_count = 1, next_attempt_at = null,
          response_status = 200, delivered_at = now() where id = any($1)`,
        values: [ids],
      },
      { sql: 'delete from floor.jobs where delivery_id = any($1)', values: [ids] },
    ]
    const messages = batch.map(({ row }) => ({ id: newId('evt'), name: 'webhook.delivered', data: row }))
    await outbox.write('conclude', parts, messages)
  })

  const fanOut = inBatches<{ message: FloorMessage; done: () => void }>(0, async batch => {
    const deliveries = batch.map(({ message }) => ({
      row: {
        ...rows.delivery,
        id: newId('whd'),
        event_id: message.id,
        event: message.name,
        status: 'delivering',
      } as Row,
      body: JSON.stringify({ id: message.id, object: 'event', event: message.name, data: message.data }),
    }))
    const stored = deliveries.map(({ row, body }) => ({
      ...rows.webhookEvent,
      id: row.event_id,
      event: row.event,
      sequence: nextSequence(),
      body: `\\x${Buffer.from(body).toString('hex')}`,
    }))
    const jobs = deliveries.map(({ row }) => ({
      ...{ delivery_id: row.id, webhook_id: row.webhook_id, due_at: new Date(), attempt: 1, leased: true },
    }))
    await runStatement(pool, 'fan_out', [
      insertAll(
        'webhook_inbox',
        stored.map(({ id }) => ({ message_id: id, received_at: new Date() })),
      ),
      insertAll('webhook_events', stored),
      insertAll('jobs', jobs),
      insertAll(
        'deliveries',
        deliveries.map(({ row }) => row),
      ),
    ])
    for (const { done } of batch) done()
    for (const delivery of deliveries) void sendSigned(agent, endpoint, delivery).then(() => conclude(delivery))
  })
  await consume('webhooks', events, (message, done) => fanOut({ message, done }))
  return undefined
})

async function sendSigned(
  agent: Agent,
  { url, secret }: FloorSettings['endpoint'],
  { row, body }: Delivery,
): Promise<void> {
  const [id, seconds] = [String(row.id), String(Math.floor(Date.now() / 1000))]
  const sign = (content: string) => createHmac('sha256', secret).update(content).digest('base64')
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${sign(`${id}.${seconds}.${body}`)}`,
    'x-service-signature-v1': sign(`${seconds}.${body}`),
  }
  const answer = await request(url, { method: 'POST', headers, body, dispatcher: agent })
  await answer.body.dump()
}
