import { type Description, flattened, nameOf, type Schema, type Schemas } from './schema-types.ts'
import { eventNames } from './sdk-types.ts'
import { generatedNote } from './source-lists.ts'

/** Prints the schema of each event, for the command that composes one. Objects that events have in common are printed once. */
export function cliEventSchemas(description: Description): string {
  const schemas: Schemas = description.components.schemas
  const names = Object.keys(description.webhooks)
  const objects = new Map<string, object>()
  const events = eventNames(description).map((schema, at): [string, object] => {
    const { properties, required } = flattened(schemas[schema], schemas)
    const data = firstChoice(properties.data, schemas)
    const object = data.$ref ? nameOf(data) : 'data'
    objects.set(object, schemaOf(data, schemas))
    const { data: _data, ...envelope } = properties
    return [
      names[at] ?? '',
      { object, envelope: schemaOf({ type: 'object', properties: envelope, required }, schemas) },
    ]
  })
  return [
    generatedNote,
    `import type { EventSchema } from '../schemas/event-schema.ts'\n`,
    '/** The objects that events are about. */',
    `export const eventObjects: Readonly<Record<string, EventSchema>> = ${printed(objects)}\n`,
    '/** What each event is about, and its other fields. */',
    `export const eventSchemas: Readonly<Record<string, { object: string; envelope: EventSchema }>> = ${printed(events)}\n`,
  ].join('\n')
}

const printed = (entries: Iterable<readonly [string, object]>) => JSON.stringify(Object.fromEntries(entries), null, 2)

/** An example has the first of the objects that an event may be about. */
function firstChoice(schema: Schema, schemas: Schemas): Schema {
  const choices = schema.$ref && schemas[nameOf(schema)].anyOf
  return choices ? firstChoice(choices[0], schemas) : schema
}

function schemaOf(given: Schema, schemas: Schemas): object {
  if (given.$ref) return schemaOf(schemas[nameOf(given)], schemas)
  const [first, second] = given.anyOf ?? []
  if (second?.type === 'null') {
    const { types, ...rest } = schemaOf(first, schemas) as { types: string[] }
    return { types: [...types, 'null'], ...rest }
  }
  const { type, properties, required, additionalProperties, items, pattern, format, minimum, maximum, ...schema } =
    flattened(given, schemas)
  const values = schema.enum ?? ('const' in schema ? [schema.const] : undefined)
  return {
    types: [type ?? []].flat(),
    ...(values && { values }),
    ...(pattern && { pattern }),
    ...(format === 'date-time' && { isTime: true }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(properties && { properties: mapped(properties, schemas), required }),
    ...(typeof additionalProperties === 'object' && { isMap: true }),
    ...(items && { items: schemaOf(items, schemas) }),
  }
}

function mapped(properties: Record<string, Schema>, schemas: Schemas): object {
  return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, schemaOf(field, schemas)]))
}
