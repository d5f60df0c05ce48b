import { maskCardNumbers } from '@cobro/contracts'
import type { Attributes, AttributeValue } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'

/** Statements may hold literals, queries what a client put there, and the broker's address a user and a badly escaped password. */
const dropped = ['db.query.text', 'db.statement', 'url.query', 'messaging.url']
/** The instrumentation's names of 2022, each of which stands on the span under its present name too, and what says nothing. */
const outdated = [
  'messaging.destination',
  'messaging.destination_kind',
  'messaging.rabbitmq.routing_key',
  'messaging.operation',
  'messaging.message_id',
  'messaging.conversation_id',
  'messaging.protocol',
  'messaging.protocol_version',
]
const addresses = ['url.full', 'http.url', 'http.target']

/** Takes out of an ended span what must not leave the process: statements, queries of URLs, credentials in them, card numbers. */
export function redactSpan(span: ReadableSpan): void {
  const texts: { name: string; status: { message?: string } } = span
  texts.name = maskCardNumbers(texts.name)
  if (texts.status.message) texts.status.message = maskCardNumbers(texts.status.message)
  // Postgres quotes the value that it did not like; its error code stands in the span's exception event.
  if (span.attributes['db.system.name']) delete texts.status.message
  for (const key of [...dropped, ...outdated]) delete span.attributes[key]
  for (const key of addresses) {
    const address = span.attributes[key]
    if (typeof address === 'string') span.attributes[key] = plainAddress(address)
  }
  maskAttributes(span.attributes)
  for (const event of span.events) if (event.attributes) maskAttributes(event.attributes)
}

function plainAddress(address: string): string {
  return address.replace(/[?#].*$/s, '').replace(/^([a-z][a-z\d+.-]*:\/\/)[^/@]*@/i, '$1')
}

function maskAttributes(attributes: Attributes): void {
  for (const [key, value] of Object.entries(attributes)) attributes[key] = masked(value)
}

function masked(value: AttributeValue | undefined): AttributeValue | undefined {
  if (typeof value === 'string') return maskCardNumbers(value)
  if (!Array.isArray(value)) return value
  return value.map(item => (typeof item === 'string' ? maskCardNumbers(item) : item)) as AttributeValue
}
