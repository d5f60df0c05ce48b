import type { Json } from './json-schemas.ts'

const minShared = 3

/** Describes shared properties once: a schema with all those of another extends it (`allOf`). */
export function withExtensions(schemas: Json): Json {
  const all = Object.entries<Json>(schemas)
  const largestFirst = all.toSorted(([, a], [, b]) => namesOf(b).length - namesOf(a).length)
  const places = new Map(largestFirst.map(([name], at) => [name, at]))
  return Object.fromEntries(
    all.map(([name, schema]) => {
      const smaller = largestFirst.slice((places.get(name) ?? 0) + 1)
      const base = smaller.find(([, candidate]) => isExtension(schema, candidate))
      return [name, base ? extension(schema, base) : schema]
    }),
  )
}

function namesOf({ properties = {} }: Json): string[] {
  return Object.keys(properties)
}

/** Returns whether a schema has all of a base's properties, and only those if either is closed. */
function isExtension(schema: Json, base: Json): boolean {
  const names = namesOf(base)
  const closed = schema.additionalProperties === false || base.additionalProperties === false
  return (
    names.length >= minShared &&
    schema.additionalProperties === base.additionalProperties &&
    !(closed && names.length !== namesOf(schema).length) &&
    names.every(name => same(schema.properties[name], base.properties[name])) &&
    (base.required ?? []).every((name: string) => schema.required?.includes(name))
  )
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function extension(
  { type, properties, required = [], additionalProperties, ...rest }: Json,
  [name, base]: [string, Json],
): Json {
  const added = Object.entries(properties).filter(([property]) => !Object.hasOwn(base.properties, property))
  const alsoRequired = required.filter((property: string) => !base.required?.includes(property))
  return {
    ...rest,
    ...extended(`#/components/schemas/${name}`, {
      ...(added.length > 0 ? { properties: Object.fromEntries(added) } : {}),
      ...(alsoRequired.length > 0 ? { required: alsoRequired } : {}),
    }),
  }
}

/** Returns an extension of a schema. Generators of clients take an `allOf` of a single reference for that schema itself. */
export function extended($ref: string, own: Json): Json {
  return { allOf: [{ $ref }, ...(Object.keys(own).length > 0 ? [{ type: 'object', ...own }] : [])] }
}
