import { type EventDeclaration, events, id, isoTime, webhookCatalog } from '@cobro/contracts'
import type { Json, SchemaCollector } from './json-schemas.ts'
import { jsonContent } from './operation-objects.ts'
import { extended } from './schema-extensions.ts'
import { parameterReference, webhookHeaders } from './shared-parameters.ts'

/** What an endpoint may answer. */
export const webhookResponses: Json = {
  Acknowledged: { description: 'Any 2xx acknowledges the delivery' },
  Retried: { description: 'Any other status is retried after 30 s, 2 min, 10 min and 1 h' },
}

/** Returns the events that merchants' endpoints receive, each as the POST that delivers it. */
export function webhookObjects(schemas: SchemaCollector): Json {
  const declared: Record<string, EventDeclaration> = events
  return Object.fromEntries(
    Object.entries(webhookCatalog).map(([name, { description }]) => {
      const data = declared[name]?.data
      if (!data) throw new Error(`The catalog names an event that is not declared: ${name}`)
      const schema = schemas.add(`${pascal(name)}Event`, eventOf(name, description, data, schemas))
      return [name, webhookObject(name, description, schema)]
    }),
  )
}

function webhookObject(name: string, description: string, schema: Json): Json {
  return {
    post: {
      operationId: `receive${pascal(name)}`,
      summary: description,
      tags: ['Webhooks'],
      security: [],
      parameters: Object.keys(webhookHeaders).map(parameterReference),
      requestBody: { required: true, content: jsonContent(schema) },
      responses: {
        '2XX': { $ref: '#/components/responses/Acknowledged' },
        '4XX': { $ref: '#/components/responses/Retried' },
      },
    },
  }
}

function pascal(name: string): string {
  return name.replace(/(?:^|[._])(\w)/g, (_all, letter: string) => letter.toUpperCase())
}

/** An event's name and data, beside the fields that every event has. */
function eventOf(name: string, description: string, data: EventDeclaration['data'], schemas: SchemaCollector): Json {
  return {
    description: `${description}.`,
    ...extended(schemas.add('WebhookEvent', envelope(schemas)).$ref, {
      required: ['event', 'data'],
      properties: {
        event: { type: 'string', const: name, description: "The event's name." },
        data: { ...schemas.inline(data), description: 'The object that it is about, as it was then.' },
      },
    }),
  }
}

/** The fields around an event's name and data, which every event describes for itself. */
function envelope(schemas: SchemaCollector): Json {
  return {
    type: 'object',
    description: 'An event, as endpoints receive it.',
    required: ['id', 'object', 'merchant_id', 'created_at'],
    properties: {
      id: schemas.inline(id('evt')),
      object: { type: 'string', const: 'event', description: 'Always `event`.' },
      merchant_id: schemas.inline(id('mrc')),
      created_at: schemas.inline(isoTime),
    },
  }
}
