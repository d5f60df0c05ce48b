import type { IncomingMessage } from 'node:http'
import { isId } from '@cobro/contracts'
import { type Attributes, createNoopMeter, type Span } from '@opentelemetry/api'
import type { Instrumentation } from '@opentelemetry/instrumentation'
import { AmqplibInstrumentation, type AmqplibInstrumentationConfig } from '@opentelemetry/instrumentation-amqplib'
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http'
import { PgInstrumentation, type PgInstrumentationConfig } from '@opentelemetry/instrumentation-pg'
import { PinoInstrumentation } from '@opentelemetry/instrumentation-pino'
import { RuntimeNodeInstrumentation } from '@opentelemetry/instrumentation-runtime-node'
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici'

type PgHooks = Required<PgInstrumentationConfig>
type AmqplibHooks = Required<AmqplibInstrumentationConfig>

/**
 * Creates the instrumentations of the libraries that services use. Adds the headers of each
 * untrusted request to `untrusted`.
 */
export function createInstrumentations(trustInbound: boolean, untrusted: WeakSet<object>): Instrumentation[] {
  return [
    new HttpInstrumentation({
      ignoreIncomingRequestHook: isProbe,
      ...(trustInbound ? {} : { startIncomingSpanHook: request => markUntrusted(request.headers, untrusted) }),
    }),
    // Relays, sweepers and health checks poll: their queries and requests outside of a trace should not start one.
    new PgSpans({ requireParentSpan: true, ignoreConnectSpans: true, requestHook: describeQuery }),
    new UndiciInstrumentation({ requireParentforSpans: true }),
    new PinoInstrumentation({ disableLogSending: true }),
    new AmqplibInstrumentation({ publishHook: describePublish, consumeHook: describeConsume }),
    // By default it measures the event loop's delay every 10 ms, half of an idle service's processor time.
    new RuntimeNodeInstrumentation({ monitoringPrecision: 50 }),
  ]
}

/**
 * Records spans and no metrics. Its own counters hash their attributes twice for each connection that a call takes; `observePool` in
 * `packages/database` counts connections at scrapes instead.
 */
class PgSpans extends PgInstrumentation {
  override setMeterProvider(): void {
    super.setMeterProvider({ getMeter: createNoopMeter })
  }
}

function isProbe(request: IncomingMessage): boolean {
  return /^\/(?:health|metrics)(?:[/?]|$)/.test(request.url ?? '')
}

/** Runs before the parent is extracted from headers. The test of a forged parent checks that. */
function markUntrusted(headers: IncomingMessage['headers'], untrusted: WeakSet<object>): Attributes {
  untrusted.add(headers)
  const claimed = String(headers.traceparent ?? '')
  return /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/.test(claimed) ? { 'client.traceparent': claimed } : {}
}

/** Schema-qualified tables in a statement. Skips values after `distinct from` or in `extract`. */
const tables =
  /(?<!\bdistinct |\bextract ?\(\w+ )\b(?:from|join|into|update)\s+"?([a-z_]+)"?\."?([a-z_]+)"?(?=[\s();]|$)/gi

/** String literals, whose text may look like a table and must not appear in a span name. */
const literals = /\be'(?:[^'\\]|''|\\.)*'|'(?:[^']|'')*'/gis

/** What statements do, by their text: services repeat a few hundred texts, and the search takes as long as a small query. */
const knownStatements = new Map<string, StatementSummary>()
const maxKnownStatements = 1_000

interface StatementSummary {
  operation: string | undefined
  /** The table, if there is only one. */
  collection: string | undefined
}

/**
 * Names a query span by semantic convention: operation and the one table, or else the database.
 * The instrumentation's own names differ.
 */
export function describeQuery(
  span: Span,
  { query: { text }, connection: { database } }: Parameters<PgHooks['requestHook']>[1],
): void {
  const { operation, collection } = knownStatements.get(text) ?? rememberStatement(text)
  if (!operation) return
  span.setAttribute('db.operation.name', operation)
  if (collection) span.setAttribute('db.collection.name', collection)
  span.updateName([operation, collection ?? database].filter(Boolean).join(' '))
}

function rememberStatement(text: string): StatementSummary {
  const [table, ...others] = new Set(
    [...text.replace(literals, "''").matchAll(tables)].map(([, schema, name]) => `${schema}.${name}`),
  )
  const summary = {
    operation: /^(?:[\s(]|\/\*.*?\*\/)*([a-z]+)/is.exec(text)?.[1]?.toUpperCase(),
    collection: others.length === 0 ? table : undefined,
  }
  if (knownStatements.size >= maxKnownStatements) knownStatements.clear()
  knownStatements.set(text, summary)
  return summary
}

/** A reply queue has a unique name for each client, which would make too many span names. */
const replyQueue = /amq\.rabbitmq\.reply-to\..*$|\S+\.replies\.[\da-f-]{36}$/

/** Adds current semantic attribute names. The instrumentation still writes those of 2022. */
export function describePublish(
  span: Span,
  { exchange, routingKey, options }: Parameters<AmqplibHooks['publishHook']>[1],
): void {
  span.updateName(`publish ${exchange || routingKey.replace(replyQueue, '(temporary)')}`)
  span.setAttributes({
    ...describeMessage(exchange, routingKey, options),
    'messaging.operation.name': 'publish',
    'messaging.operation.type': 'send',
  })
}

/** Like `describePublish`, for a received message. */
export function describeConsume(span: Span, { msg }: Parameters<AmqplibHooks['consumeHook']>[1]): void {
  // Only the instrumentation knows the queue, so take it from the name that it set.
  const { name = '' } = span as Span & { name?: string }
  span.updateName(name.replace(/^(.+) process$/, 'process $1').replace(replyQueue, '(temporary)'))
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
    // The message may have a correlation id that the publishing call did not have yet.
    ...(isId('corr', correlationId) ? { correlation_id: correlationId } : {}),
    'messaging.system': 'rabbitmq',
    'messaging.destination.name': [exchange, routingKey].filter(Boolean).join(':'),
    'messaging.rabbitmq.destination.routing_key': routingKey,
    'messaging.message.id': messageId,
    'messaging.message.conversation_id': correlationId,
  }
}
