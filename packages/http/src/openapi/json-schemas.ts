import { z } from 'zod'

/** A JSON Schema, or a part of the API description. */
// biome-ignore lint/suspicious/noExplicitAny: documents are read field by field.
export type Json = { [key: string]: any }

/** Converts schemas to JSON Schema, and collects the named ones as components. */
export interface SchemaCollector {
  /** Returns a schema in place. Named schemas inside it become references. */
  inline(schema: z.ZodType): Json
  /** Returns a reference to a schema, which must have a name. */
  reference(schema: z.ZodType): Json
  /** Adds a component that no schema describes, and returns a reference to it. */
  add(name: string, component: Json): Json
  /** Returns every component so far, by name. */
  components(): Json
}

/**
 * Adds the examples of codecs. Zod omits them on the input side (colinhacks/zod#4274), since it
 * cannot know that ours are JSON. `override` can go once `npm run generate` changes nothing without it.
 */
const options: z.core.ToJSONSchemaParams = {
  io: 'input',
  unrepresentable: 'any',
  override: ({ zodSchema, jsonSchema }) => {
    const { id, examples } = z.globalRegistry.get(zodSchema) ?? {}
    if (id && Array.isArray(examples)) jsonSchema.examples ??= examples
  },
}

/** Makes a collector. Of a codec, such as a time, it describes the side that is written in JSON. */
export function schemaCollector(): SchemaCollector {
  const found: Json = {}
  const convert = (schema: z.ZodType): Json => {
    const { $defs = {}, ...root } = z.toJSONSchema(schema, options) as Json
    for (const [name, definition] of Object.entries($defs)) {
      if (!isAnyJson(name) && !found[name]) add(name, tidy(definition) as Json)
    }
    const json = tidy(root) as Json
    addNullables(json)
    return json
  }
  const add = (name: string, component: Json) => {
    found[name] ??= component
    addNullables(component)
    return referenceTo(name)
  }
  const addNullables = (json: Json) => {
    for (const name of nullableNames(json)) found[`Nullable${name}`] ??= nullable(name)
  }
  return {
    inline: convert,
    reference: schema => {
      const json = convert(schema)
      if (!json.$ref) throw new Error(`A schema of the API has no name: ${JSON.stringify(json)}`)
      return json
    },
    add,
    components: () => Object.fromEntries(Object.entries(found).toSorted()),
  }
}

/** Returns the names of schemas whose nullable form is referred to. */
function nullableNames(value: Json): string[] {
  return [...JSON.stringify(value).matchAll(/schemas\/Nullable(\w+)"/g)].map(match => match[1] ?? '')
}

function nullable(name: string): Json {
  return { anyOf: [referenceTo(name), { type: 'null' }] }
}

function referenceTo(name: string): Json {
  return { $ref: `#/components/schemas/${name}` }
}

const dropped = new Set(['$schema', 'id', 'propertyNames'])

/** Leaves out patterns beside formats, bounds of JavaScript's integers and fields never sent. */
function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy)
  if (typeof value !== 'object' || value === null) return value
  const schema = value as Json
  if (typeof schema.$ref === 'string') return tidyReference(schema)
  const kept = Object.entries(schema).filter(([key, part]) => !isNoise(schema, key, part))
  return foldNull(splitTypes(Object.fromEntries(kept.map(([key, part]) => [key, tidyPart(key, part)]))))
}

function tidyPart(key: string, part: unknown): unknown {
  if (key === 'examples' || key === 'default') return part
  return key === 'properties' ? tidyProperties(part as Json) : tidy(part)
}

function tidyProperties(properties: Json): Json {
  const sendable = Object.entries(properties).filter(([, schema]) => !('not' in (schema as Json)))
  return Object.fromEntries(sendable.map(([name, schema]) => [name, tidy(schema)]))
}

function isNoise(schema: Json, key: string, part: unknown): boolean {
  if (dropped.has(key)) return true
  if (key === 'pattern') return typeof schema.format === 'string'
  return (key === 'minimum' || key === 'maximum') && Math.abs(part as number) === Number.MAX_SAFE_INTEGER
}

/** Returns whether zod made a name up: of what has none, only `z.json()` refers to itself. */
function isAnyJson(name: string): boolean {
  return name.startsWith('__')
}

function tidyReference({ $ref, ...beside }: Json): Json {
  const name = $ref.split('/').at(-1) ?? ''
  const kept = Object.entries(beside).filter(([key]) => ['description', 'examples', 'default'].includes(key))
  return isAnyJson(name) ? {} : { ...referenceTo(name), ...Object.fromEntries(kept) }
}

/** Writes several types as alternatives, which generators of clients understand. */
function splitTypes({ type, ...rest }: Json): Json {
  if (!Array.isArray(type) || type.includes('null')) return type === undefined ? rest : { type, ...rest }
  return { anyOf: type.map(one => ({ type: one })), ...rest }
}

/** Writes `anyOf: [X, null]` as `type: [x, null]`, or as a described reference to `NullableX`. */
function foldNull({ anyOf, ...rest }: Json): Json {
  if (!Array.isArray(anyOf)) return anyOf === undefined ? rest : { anyOf, ...rest }
  const [one, none, ...more] = anyOf as Json[]
  if (!one || none?.type !== 'null' || more.length > 0) return { anyOf, ...rest }
  const { description, type, $ref, ...schema } = one
  const described = { ...(description ? { description } : {}), ...rest }
  if ($ref) return { ...referenceTo(`Nullable${$ref.split('/').at(-1)}`), ...schema, ...described }
  if (typeof type !== 'string') return { anyOf: [type ? { type, ...schema } : schema, none], ...described }
  return { type: [type, 'null'], ...schema, ...(schema.enum ? { enum: [...schema.enum, null] } : {}), ...described }
}
