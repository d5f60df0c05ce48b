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
const unwanted = new Set([...dropped, ...outdated])
const addresses = new Set(['url.full', 'url.path', 'http.url', 'http.target'])

/** A span whose attributes are replaced, which is faster than to delete some of them. */
type Redacted = { -readonly [Key in 'name' | 'attributes']: ReadableSpan[Key] } & { status: { message?: string } }

/**
 * Redacts an ended span before its export: removes SQL, URL queries, card numbers and secrets. Of
 * the URL of a `pathless` span only the origin remains.
 */
export function redactSpan(span: ReadableSpan, { pathless = false } = {}): void {
  const written: Redacted = span
  written.name = redactText(span.name)
  // Postgres quotes the rejected value in its message; the error code is in the span's exception event.
  if (span.attributes['db.system.name']) delete written.status.message
  if (written.status.message) written.status.message = redactText(written.status.message)
  written.attributes = redactAttributes(span.attributes, pathless)
  for (const event of span.events) if (event.attributes) event.attributes = redactAttributes(event.attributes, pathless)
}

function redactAttributes(attributes: Attributes, pathless: boolean): Attributes {
  const kept: Attributes = {}
  for (const key in attributes) {
    const value = attributes[key]
    if (unwanted.has(key) || isUninformative(key, attributes)) continue
    if (!(typeof value === 'string' && addresses.has(key))) kept[key] = redacted(value)
    else if (!pathless) kept[key] = plainAddress(value)
    else if (URL.canParse(value)) kept[key] = redactText(new URL(value).origin)
  }
  return kept
}

/** The original method is only useful for unknown methods, but the instrumentation sets it for every method. */
const isUninformative = (key: string, attributes: Attributes) =>
  key === 'http.request.method_original' && attributes[key] === attributes['http.request.method']

function plainAddress(address: string): string {
  const plain = address.replace(/[?#].*$/s, '').replace(/^([a-z][a-z\d+.-]*:\/\/)[^/@]*@/i, '$1')
  return maskPath(plain, redactText)
}

function redacted(value: AttributeValue | undefined): AttributeValue | undefined {
  if (typeof value === 'string') return redactText(value)
  if (!Array.isArray(value)) return value
  return value.map(item => (typeof item === 'string' ? redactText(item) : item)) as AttributeValue
}
