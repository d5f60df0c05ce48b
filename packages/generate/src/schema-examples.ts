import { flattened, nameOf, type Schema, type Schemas } from './schema-types.ts'

/** Returns an example of a schema: the one that it states, or else one made of the examples of its fields. */
export function exampleOf(schema: Schema, schemas: Schemas): unknown {
  if ('const' in schema) return schema.const
  if (schema.examples) return schema.examples[0]
  if (schema.$ref) return exampleOf(flattened(schemas[nameOf(schema)], schemas), schemas)
  if (schema.allOf) return exampleOf(flattened(schema, schemas), schemas)
  if (schema.enum) return schema.enum[0]
  const choices: Schema[] | undefined = schema.anyOf ?? schema.oneOf
  if (choices?.[0]) return exampleOf(choices[0], schemas)
  return exampleOfType([schema.type].flat()[0], schema, schemas)
}

function exampleOfType(type: string | undefined, schema: Schema, schemas: Schemas): unknown {
  switch (type) {
    case 'array':
      return [exampleOf(schema.items, schemas)]
    case 'object':
      return Object.fromEntries(
        Object.entries<Schema>(schema.properties ?? {}).map(([name, field]) => [name, exampleOf(field, schemas)]),
      )
    case 'integer':
    case 'number':
      return schema.minimum ?? 0
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return 'text'
  }
}
