import type { EventDeclaration } from '../declarations/event.ts'
import { events } from './events.ts'

/** The events that a merchant may subscribe to, with their texts. */
export const webhookCatalog: Record<string, Exclude<EventDeclaration['webhook'], false>> = Object.fromEntries(
  Object.entries(events as Record<string, EventDeclaration>).flatMap(([name, { webhook }]) =>
    webhook ? [[name, webhook]] : [],
  ),
)

/** The catalog without the test of a webhook, which the dispatcher sends to one endpoint by itself: the events of the feed. */
export const feedEventNames = Object.keys(webhookCatalog).filter(name => name !== 'webhook.test')
