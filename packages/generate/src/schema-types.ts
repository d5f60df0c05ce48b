import type { apiDescription } from '@cobro/http/openapi'

export type Description = ReturnType<typeof apiDescription>
/** A JSON schema of the API description. */
export type Schema = Description['components']['schemas']
export type Schemas = Record<string, Schema>

/** The description names the nullable form of a schema too. */
const nullable = /^Nullable(\w+)$/

/** Returns the names of schemas and of all that they refer to, without the nullable forms. */
export function reachable(names: readonly string[], schemas: Schemas): string[] {
  const found = new Set<string>()
  const visit = (name: string) => {
    if (found.has(name)) return
    found.add(name)
    for (const [, other = ''] of JSON.stringify(schemas[name]).matchAll(/#\/components\/schemas\/(\w+)"/g)) visit(other)
  }
  for (const name of names) visit(name)
  return [...found].filter(name => !nullable.test(name))
}

/** Prints the declaration of a schema as a type. */
export function declarationOf(name: string, schemas: Schemas): string {
  const schema = flattened(schemas[name], schemas)
  const text = commentOf(schema, '')
  if (schema.properties && schema.type === 'object') return `${text}export interface ${name} ${fieldsOf(schema, '')}\n`
  return `${text}export type ${name} = ${typeOf(schema, '')}\n`
}

/** Merges an object with the objects that it extends. Its own fields win. */
export function flattened(schema: Schema, schemas: Schemas): Schema {
  if (!schema.allOf) return schema
  const bases: Schema[] = schema.allOf.map((part: Schema) =>
    flattened(part.$ref ? schemas[nameOf(part)] : part, schemas),
  )
  return {
    description: schema.description,
    type: 'object',
    required: [...bases.flatMap(({ required = [] }) => required), ...(schema.required ?? [])],
    properties: Object.assign({}, ...bases.map(({ properties }) => properties), schema.properties),
  }
}

/** Prints the description of a schema as a comment. */
export function commentOf({ description }: Schema, indent: string): string {
  return description ? `${indent}/** ${String(description).replaceAll('*/', '* /')} */\n` : ''
}

function fieldsOf({ properties, required = [], additionalProperties }: Schema, indent: string): string {
  const inner = `${indent}  `
  const lines = Object.entries<Schema>(properties).map(([name, field]) => {
    const mark = required.includes(name) ? '' : '?'
    return `${commentOf(field, inner)}${inner}${name}${mark}: ${typeOf(field, inner)}\n`
  })
  const others = typeof additionalProperties === 'object' ? `${inner}[name: string]: unknown\n` : ''
  return `{\n${lines.join('')}${others}${indent}}`
}

/** Prints a schema as a type. */
export function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref) return nameOf(schema).replace(nullable, '$1 | null')
  if ('const' in schema) return literalOf(schema.const)
  if (schema.enum) return schema.enum.map(literalOf).join(' | ')
  const choices: Schema[] | undefined = schema.anyOf ?? schema.oneOf
  if (choices) return [...new Set(choices.map(choice => typeOf(choice, indent)))].join(' | ')
  const types = [schema.type].flat().map(type => simpleTypeOf(type, schema, indent))
  return types.join(' | ')
}

function simpleTypeOf(type: string | undefined, schema: Schema, indent: string): string {
  switch (type) {
    case 'integer':
      return 'number'
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return type
    case 'array':
      return arrayOf(typeOf(schema.items, indent))
    case 'object':
      return Object.keys(schema.properties ?? {}).length > 0
        ? fieldsOf(schema, indent)
        : `Record<string, ${memberOf(schema, indent)}>`
    default:
      return 'unknown'
  }
}

function arrayOf(type: string): string {
  return type.includes(' | ') ? `(${type})[]` : `${type}[]`
}

function memberOf({ additionalProperties }: Schema, indent: string): string {
  if (typeof additionalProperties !== 'object') return 'unknown'
  return Object.keys(additionalProperties).length === 0 ? 'JsonValue' : typeOf(additionalProperties, indent)
}

function literalOf(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value)
}

/** Returns the name that a reference has. */
export function nameOf({ $ref }: Schema): string {
  return String($ref).split('/').at(-1) ?? ''
}
