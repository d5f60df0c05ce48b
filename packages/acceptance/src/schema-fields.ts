import { z } from 'zod'

type JsonSchema = z.core.JSONSchema.JSONSchema

/** Returns the names of the fields that an object may have. */
export function fieldsOf(schema: z.ZodType | undefined): string[] {
  return [...new Set(placesOf(schema, () => true).map(([name = '']) => name))]
}

/** Returns the places of texts in an object, as keys from the outermost inwards. `0` is an element of a list. */
export function textsOf(schema: z.ZodType | undefined): string[][] {
  return placesOf(schema, ({ type }) => [type].flat().includes('string'))
}

function placesOf(schema: z.ZodType | undefined, isWanted: (field: JsonSchema) => boolean): string[][] {
  if (!schema) return []
  const { $defs = {}, ...whole } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  const found: string[][] = []
  const visit = (one: z.core.JSONSchema._JSONSchema, place: string[]): void => {
    if (typeof one === 'boolean') return
    if (place.length > 0 && isWanted(one)) found.push(place)
    if (place.at(-1) === 'named') return
    const { $ref, anyOf = [], oneOf = [], allOf = [], properties = {}, items, additionalProperties } = one
    if ($ref) visit($defs[$ref.slice('#/$defs/'.length)] ?? {}, place)
    for (const alternative of [...anyOf, ...oneOf, ...allOf]) visit(alternative, place)
    for (const [name, field] of Object.entries(properties)) visit(field, [...place, name])
    if (items && !Array.isArray(items)) visit(items, [...place, '0'])
    if (additionalProperties) visit(additionalProperties, [...place, 'named'])
  }
  visit(whole, [])
  return [...new Map(found.map(place => [place.join('.'), place])).values()]
}
