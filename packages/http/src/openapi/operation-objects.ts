import type { Operation } from '@cobro/contracts'
import type { z } from 'zod'
import { takesKey } from '../idempotency-key.ts'
import { errorAnswers } from './error-answers.ts'
import { exampleOf } from './examples.ts'
import { componentSchemas, type Json, jsonSchema } from './json-schemas.ts'
import { tagOf } from './tags.ts'

const components = componentSchemas()
const resolve = (ref: string): Json => components[ref.split('/').at(-1) ?? '']

const link: Json = { amount: '250.00', concepto: 'Curso de barismo', reference: 'A-1042' }

/** Bodies whose fields rule each other out: here the example is written by hand. */
const bodyExamples: Record<string, Json> = {
  createLink: link,
  createPaymentLink: link,
  createTransaction: {
    rail: 'online_cnp',
    payment_method: 'card',
    amount_cents: 25_000,
    reference: 'A-1042',
    card: { brand: 'visa', last4: '4242' },
    captured_at: '2026-11-21T18:04:05.123Z',
  },
  createUser: {
    email: 'ana@example.com',
    name: 'Ana López',
    role: 'client',
    merchant_id: 'mrc_01kdvc4x2m8p6q7r9s0t1v2w3x',
  },
}

const voucher: Json = {
  reference: '93000000104226',
  barcode: '93000000104226112400000025003',
  due_at: '2026-11-25T05:59:59.999Z',
}

/** Answers that differ with their status. */
const answerExamples: Record<string, Record<number, Json>> = {
  payHostedSession: {
    200: { status: 'approved', redirect_url: 'https://shop.example/thanks' },
    202: { status: 'pending', voucher },
  },
  payHostedLink: { 200: { status: 'approved' }, 202: { status: 'pending', voucher } },
}

const successWords: Record<number, string> = {
  200: 'Done',
  201: 'Created',
  202: 'Taken on; the outcome comes later',
}

/** What the description says of an operation. */
export function operationObject(operation: Operation): Json {
  return {
    operationId: operation.id,
    summary: operation.summary,
    tags: [tagOf(operation)],
    security: securityOf(operation),
    parameters: parametersOf(operation),
    ...requestBodyOf(operation),
    responses: { ...successOf(operation), ...errorAnswers(operation) },
  }
}

/** Either form of an API key, a token, or the acquirer's signature; nothing where everybody may call. */
function securityOf({ callers }: Operation): Json[] {
  return [
    ...(callers.includes('key') ? [{ apiKeyToken: [] }, { apiKeyHeader: [] }] : []),
    ...(callers.includes('client') || callers.includes('operator') ? [{ userToken: [] }] : []),
    ...(callers.includes('acquirer') ? [{ acquirerSignature: [] }] : []),
  ]
}

function parametersOf(operation: Operation): Json[] {
  const operatorsState = operation.tenant && operation.callers.includes('operator')
  return [
    ...fieldsOf(operation.params).map(([name, schema]) => ({ ...parameter(name, 'path', schema), required: true })),
    ...fieldsOf(operation.query).map(([name, schema]) =>
      sharedParameters.has(name) ? { $ref: `#/components/parameters/${name}` } : parameter(name, 'query', schema),
    ),
    ...(operatorsState ? [{ $ref: '#/components/parameters/merchant' }] : []),
    ...(takesKey(operation) ? [{ $ref: '#/components/parameters/idempotencyKey' }] : []),
  ]
}

/** The parameters that mean the same on every list. `order` has its own fields on each. */
const sharedParameters = new Set(['limit', 'offset', 'page', 'from', 'to', 'search', 'dir'])

function fieldsOf(schema: z.ZodType | undefined): [string, Json][] {
  return schema ? Object.entries(jsonSchema(schema).properties ?? {}) : []
}

function parameter(name: string, place: 'path' | 'query', schema: Json): Json {
  const description = name === 'order' ? { description: 'The field to sort by; ties are broken by id.' } : {}
  return { name, in: place, ...description, schema }
}

function requestBodyOf({ id, body }: Operation): Json {
  if (!body) return {}
  const schema = jsonSchema(body)
  const required = !body.safeParse(undefined).success
  return { requestBody: { required, content: jsonContent(schema, bodyExamples[id]) } }
}

function successOf(operation: Operation): Json {
  const statuses = [operation.status ?? 200, ...(operation.laterStatus ? [operation.laterStatus] : [])]
  const streams: Record<string, Json> = { events: eventStream, export: exportLines }
  const contentOf = (status: number) =>
    typeof operation.response === 'string'
      ? streams[operation.response]
      : jsonContent(jsonSchema(operation.response), answerExamples[operation.id]?.[status])
  return Object.fromEntries(
    statuses.map(status => [
      status,
      {
        description: successWords[status],
        headers: headersOf(operation),
        content: contentOf(status),
      },
    ]),
  )
}

/** OpenAPI 3.1 has no words for the events of a stream, so these say it. */
const eventStream: Json = {
  'text/event-stream': {
    schema: {
      type: 'string',
      description:
        'Server-sent events named `payable`: one at once and one after each change, until a final state ends the stream. ' +
        'The data of each is what the read of the same object answers as `data`.',
    },
    example: 'event: payable\ndata: {"id":"cs_…","status":"completed"}\n\n',
  },
}

/** Whoever has a line of NDJSON can hash its event again: it is there byte for byte. */
const exportLines: Json = {
  'application/x-ndjson': {
    schema: {
      type: 'string',
      description: 'A line for each event: its place in the log, and the event as it was hashed.',
    },
    example: '{"seq":1042,"event":{"id":"evt_…","action":"payment.approved"}}\n',
  },
  'text/csv': {
    schema: { type: 'string', description: 'RFC 4180, with the names of the columns in the first line.' },
    example: 'seq,id,action\r\n1042,evt_…,payment.approved\r\n',
  },
}

function headersOf(operation: Operation): Json {
  const names = ['X-Request-Id', ...(takesKey(operation) ? ['Idempotent-Replayed'] : [])]
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))
}

/** Content in JSON, with an example made of the fields' own unless one is given. */
export function jsonContent(schema: Json, example: unknown = exampleOf(schema, resolve)): Json {
  return { 'application/json': { schema, example } }
}
