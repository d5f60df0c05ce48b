import type { Caller, Id, ResponseOf, webhookEventOperations } from '@cobro/contracts'
import { type Database, getRow } from '@cobro/database'
import { SentEventEntity } from '../webhook-deliveries/delivery-entity.ts'

type StoredEvent = ResponseOf<typeof webhookEventOperations.read>['data']

/** Returns an event that webhooks can receive, with the bytes that they receive as text. */
export async function getEvent({ db }: { db: Database }, caller: Caller, id: Id<'evt'>): Promise<StoredEvent> {
  const { body, ...event } = await db.read(em => getRow(em, SentEventEntity, caller, id))
  return { ...event, payload: body.toString('utf8') }
}
