import { type EventDeclaration, events, webhookCatalog } from '@cobro/contracts'
import type { z } from 'zod'
import { type Json, jsonSchema } from './json-schemas.ts'
import { jsonContent } from './operation-objects.ts'

const signed = [
  'X-Service-Event',
  'X-Service-Delivery',
  'X-Service-Signature-Timestamp',
  'X-Service-Signature-V1',
  'X-Service-Signature-V1-Previous',
]

/** The events that merchants' endpoints receive, each as the POST that brings it. */
export function webhookObjects(): Json {
  return Object.fromEntries(
    Object.entries(webhookCatalog).map(([name, { description }]) => [
      name,
      {
        post: {
          operationId: `receive ${name}`.replace(/[ ._](\w)/g, (_all, letter) => letter.toUpperCase()),
          summary: description,
          tags: ['Webhooks'],
          security: [],
          parameters: signed.map(header => ({ $ref: `#/components/parameters/${header}` })),
          requestBody: { required: true, content: jsonContent(envelope(name)) },
          responses: {
            '2XX': { description: 'Any 2xx acknowledges the delivery' },
            '4XX': { description: 'Anything else is tried again, after 30 s, 2 min, 10 min and 1 h' },
          },
        },
      },
    ]),
  )
}

/** What stands around an event's data. */
function envelope(name: string): Json {
  const { data } = (events as Record<string, EventDeclaration>)[name] as EventDeclaration
  return {
    type: 'object',
    required: ['id', 'object', 'event', 'merchant_id', 'created_at', 'data'],
    properties: {
      id: { type: 'string', pattern: '^evt_[0-7][0-9a-hjkmnp-tv-z]{25}$' },
      object: { type: 'string', const: 'event' },
      event: { type: 'string', const: name },
      merchant_id: { type: 'string', pattern: '^mrc_[0-7][0-9a-hjkmnp-tv-z]{25}$' },
      created_at: { type: 'string', format: 'date-time' },
      data: jsonSchema(data as z.ZodType),
    },
  }
}
