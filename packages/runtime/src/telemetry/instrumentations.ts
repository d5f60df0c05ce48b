import type { IncomingMessage } from 'node:http'
import { isId } from '@cobro/contracts'
import type { Attributes, Span } from '@opentelemetry/api'
import { getNodeAutoInstrumentations, type InstrumentationConfigMap } from '@opentelemetry/auto-instrumentations-node'

type PgHooks = NonNullable<InstrumentationConfigMap['@opentelemetry/instrumentation-pg']>
type QueryHook = NonNullable<PgHooks['requestHook']>
type Instrumentations = ReturnType<typeof getNodeAutoInstrumentations>
type AmqplibHooks = NonNullable<InstrumentationConfigMap['@opentelemetry/instrumentation-amqplib']>
type PublishHook = NonNullable<AmqplibHooks['publishHook']>
type ConsumeHook = NonNullable<AmqplibHooks['consumeHook']>

/** The libraries that services work with. Whatever else the collection of instrumentations holds or comes to hold stays off. */
const instrumented = ['http', 'express', 'undici', 'amqplib', 'pg', 'pino', 'runtime-node']

/** Makes the instrumentations. When inbound requests are not trusted, the headers of each become one of the `strangers`. */
export function createInstrumentations(trustInbound: boolean, strangers: WeakSet<object>): Instrumentations {
  process.env.OTEL_NODE_ENABLED_INSTRUMENTATIONS ||= instrumented.join(',')
  return getNodeAutoInstrumentations({
    '@opentelemetry/instrumentation-http': {
      ignoreIncomingRequestHook: isProbe,
      ...(trustInbound ? {} : { startIncomingSpanHook: request => estrange(request.headers, strangers) }),
    },
    // Express is here for the name of the route alone: a span for each of its layers would say nothing more.
    '@opentelemetry/instrumentation-express': { ignoreLayers: [() => true] },
    // Relays, sweepers and health checks poll: a statement or request outside of any trace is not worth one of its own.
    '@opentelemetry/instrumentation-pg': {
      requireParentSpan: true,
      ignoreConnectSpans: true,
      requestHook: describeQuery,
    },
    '@opentelemetry/instrumentation-undici': { requireParentforSpans: true },
    '@opentelemetry/instrumentation-pino': { disableLogSending: true },
    '@opentelemetry/instrumentation-amqplib': { publishHook: describePublish, consumeHook: describeConsume },
  })
}

function isProbe(request: IncomingMessage): boolean {
  return /^\/(?:health|metrics)(?:[/?]|$)/.test(request.url ?? '')
}

/** This hook runs before the headers are read for a parent; the test of a forged parent would tell if that changed. */
function estrange(headers: IncomingMessage['headers'], strangers: WeakSet<object>): Attributes {
  strangers.add(headers)
  const claimed = String(headers.traceparent ?? '')
  return /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/.test(claimed) ? { 'client.traceparent': claimed } : {}
}

/** A table, with its schema, where a statement reads or writes. What follows `distinct from`, or stands within `extract`, is a value. */
const tables =
  /(?<!\bdistinct |\bextract ?\(\w+ )\b(?:from|join|into|update)\s+"?([a-z_]+)"?\."?([a-z_]+)"?(?=[\s();]|$)/gi

/** What somebody wrote into a value may read like a table, and has no place in a name. */
const literals = /\be'(?:[^'\\]|''|\\.)*'|'(?:[^']|'')*'/gis

/**
 * Names a statement after what it does and its table, or its database where it has none or several. The instrumentation has a
 * form of its own for names, and the conventions another.
 */
export function describeQuery(
  span: Span,
  { query: { text }, connection: { database } }: Parameters<QueryHook>[1],
): void {
  const operation = /^[\s(]*([a-z]+)/i.exec(text)?.[1]?.toUpperCase()
  if (!operation) return
  const [table, ...others] = new Set(
    [...text.replace(literals, "''").matchAll(tables)].map(([, schema, name]) => `${schema}.${name}`),
  )
  const collection = others.length === 0 ? table : undefined
  span.setAttribute('db.operation.name', operation)
  if (collection) span.setAttribute('db.collection.name', collection)
  span.updateName([operation, collection ?? database].filter(Boolean).join(' '))
}

/** The instrumentation still writes the names of 2022; tools look for the present ones of the semantic conventions. */
export function describePublish(span: Span, { exchange, routingKey, options }: Parameters<PublishHook>[1]): void {
  // The queue of a reply bears the name of whoever waits for it.
  span.updateName(`publish ${exchange || routingKey.replace(/^amq\.rabbitmq\.reply-to\..*/, '(temporary)')}`)
  span.setAttributes({
    ...describeMessage(exchange, routingKey, options),
    'messaging.operation.name': 'publish',
    'messaging.operation.type': 'send',
  })
}

/** As `describePublish`, for a message received. */
export function describeConsume(span: Span, { msg }: Parameters<ConsumeHook>[1]): void {
  // Which queue it came from is told to the instrumentation alone.
  const { name = '' } = span as Span & { name?: string }
  span.updateName(name.replace(/^(.+) process$/, 'process $1'))
  span.setAttributes({
    ...describeMessage(msg.fields.exchange, msg.fields.routingKey, msg.properties),
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.rabbitmq.message.delivery_tag': msg.fields.deliveryTag,
  })
}

function describeMessage(
  exchange: string,
  routingKey: string,
  { messageId, correlationId }: { messageId?: string; correlationId?: string } = {},
): Attributes {
  return {
    // A message names its lifecycle even where the call that wrote it had not yet learnt of one.
    ...(isId('corr', correlationId) ? { correlation_id: correlationId } : {}),
    'messaging.system': 'rabbitmq',
    'messaging.destination.name': [exchange, routingKey].filter(Boolean).join(':'),
    'messaging.rabbitmq.destination.routing_key': routingKey,
    'messaging.message.id': messageId,
    'messaging.message.conversation_id': correlationId,
  }
}
