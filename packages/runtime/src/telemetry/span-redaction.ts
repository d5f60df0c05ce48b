import type { Attributes, AttributeValue } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import { maskPath } from '../observability/mask-path.ts'
import { redactText } from '../observability/redaction-rules.ts'

/** SQL has literals, URL queries user input, the broker URL a user and a badly escaped password. */
const dropped = ['db.query.text', 'db.statement', 'url.query', 'messaging.url']
/** Attribute names of 2022, with current ones on the same span, and uninformative attributes. */
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
const unwanted = [...dropped, ...outdated]
const addresses = ['url.full', 'url.path', 'http.url', 'http.target']

/**
 * Redacts an ended span before its export: removes SQL, URL queries, card numbers and secrets. Of
 * the URL of a `pathless` span only the origin remains.
 */
export function redactSpan(span: ReadableSpan, { pathless = false } = {}): void {
  const texts: { name: string; status: { message?: string } } = span
  texts.name = redactText(texts.name)
  if (texts.status.message) texts.status.message = redactText(texts.status.message)
  // Postgres quotes the rejected value in its message; the error code is in the span's exception event.
  if (span.attributes['db.system.name']) delete texts.status.message
  // Only useful for unknown methods, but the instrumentation sets it for every method.
  const { 'http.request.method_original': original, 'http.request.method': method } = span.attributes
  if (original === method) delete span.attributes['http.request.method_original']
  for (const key of unwanted) if (key in span.attributes) delete span.attributes[key]
  redactAddresses(span.attributes, pathless)
  redactAttributes(span.attributes)
  for (const event of span.events) if (event.attributes) redactAttributes(event.attributes)
}

function redactAddresses(attributes: Attributes, pathless: boolean): void {
  for (const key of addresses) {
    const address = attributes[key]
    if (typeof address !== 'string') continue
    const plain = pathless ? URL.parse(address)?.origin : plainAddress(address)
    if (plain === undefined) delete attributes[key]
    else attributes[key] = plain
  }
}

function plainAddress(address: string): string {
  const plain = address.replace(/[?#].*$/s, '').replace(/^([a-z][a-z\d+.-]*:\/\/)[^/@]*@/i, '$1')
  return maskPath(plain, redactText)
}

function redactAttributes(attributes: Attributes): void {
  for (const [key, value] of Object.entries(attributes)) attributes[key] = redacted(value)
}

function redacted(value: AttributeValue | undefined): AttributeValue | undefined {
  if (typeof value === 'string') return redactText(value)
  if (!Array.isArray(value)) return value
  return value.map(item => (typeof item === 'string' ? redactText(item) : item)) as AttributeValue
}
