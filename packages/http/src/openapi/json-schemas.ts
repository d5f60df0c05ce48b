import {
  apiKey,
  auditEvent,
  checkoutSession,
  errorBody,
  merchants,
  sucursales,
  terminales,
  transaction,
  users,
  webhookDelivery,
  webhooks,
} from '@cobro/contracts'
import { z } from 'zod'

/** A JSON Schema, or a part of the API description. */
// biome-ignore lint/suspicious/noExplicitAny: documents are looked into field by field.
export type Json = { [key: string]: any }

/** The objects of the API by name: wherever one stands in a request or answer, the description refers to it. */
const named: Record<string, z.ZodType> = {
  ApiKey: apiKey,
  AuditEvent: auditEvent,
  CheckoutSession: checkoutSession,
  Error: errorBody,
  Merchant: merchants.row,
  Sucursal: sucursales.row,
  Terminal: terminales.row,
  Transaction: transaction,
  User: users.row,
  Webhook: webhooks.row,
  WebhookDelivery: webhookDelivery,
}

const registry = z.registry<{ id: string }>()
for (const [id, schema] of Object.entries(named)) registry.add(schema, { id })

/** The JSON Schema of what is sent or answered: of a codec (a time, say) the side that is written in JSON. */
export function jsonSchema(schema: z.ZodType): Json {
  return tidy(convert(schema)) as Json
}

/** The schemas that others refer to. */
export function componentSchemas(): Json {
  return Object.fromEntries(
    Object.entries(named).map(([id, schema]) => [id, tidy(convert(schema).$defs?.[id] ?? convert(schema))]),
  )
}

function convert(schema: z.ZodType): Json {
  return z.toJSONSchema(schema, { io: 'input', metadata: registry, unrepresentable: 'any' })
}

const dropped = new Set(['$schema', '$defs', 'id'])

/** Leaves out what only repeats: patterns beside formats, the bounds of JavaScript's integers, fields that may not be sent. */
function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy)
  if (typeof value !== 'object' || value === null) return value
  const schema = value as Json
  if (typeof schema.$ref === 'string') return reference(schema.$ref)
  const kept = Object.entries(schema).filter(([key, part]) => !isNoise(schema, key, part))
  return Object.fromEntries(
    kept.map(([key, part]) => [key, key === 'properties' ? tidyProperties(part as Json) : tidy(part)]),
  )
}

function tidyProperties(properties: Json): Json {
  const sendable = Object.entries(properties).filter(([, schema]) => !('not' in (schema as Json)))
  return Object.fromEntries(sendable.map(([name, schema]) => [name, tidy(schema)]))
}

function isNoise(schema: Json, key: string, part: unknown): boolean {
  if (dropped.has(key) && !(key === 'id' && typeof part === 'object')) return true
  if (key === 'pattern') return typeof schema.format === 'string'
  if (key === 'propertyNames') return true
  return (key === 'minimum' || key === 'maximum') && Math.abs(part as number) === Number.MAX_SAFE_INTEGER
}

/** Any JSON at all is what the definitions without a name stand for. */
function reference(ref: string): Json {
  const name = ref.split('/').at(-1) ?? ''
  return name in named ? { $ref: `#/components/schemas/${name}` } : {}
}
