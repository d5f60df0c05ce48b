/** What a part of an event may be: JSON Schema with what the API description uses of it. */
export interface EventSchema {
  /** Names of JSON types; none for any value. */
  types: readonly string[]
  /** The only values that are possible. */
  values?: readonly unknown[]
  pattern?: string
  isTime?: boolean
  minimum?: number
  maximum?: number
  properties?: Readonly<Record<string, EventSchema>>
  required?: readonly string[]
  /** Whether it may have any other field, as metadata. */
  isMap?: boolean
  items?: EventSchema
}

/** Returns the schema of the field at a path. */
export function schemaAt(schema: EventSchema, names: readonly string[]): EventSchema | undefined {
  return names.reduce((at: EventSchema | undefined, name) => {
    if (name === '' || name === '__proto__') return undefined
    const { properties = {}, isMap, types, items } = at ?? { types: ['null'] }
    if (Object.hasOwn(properties, name)) return properties[name]
    if (items && /^\d+$/.test(name)) return items
    // Below a map there may be anything.
    return isMap || types.length === 0 ? anything : undefined
  }, schema)
}

const anything: EventSchema = { types: [] }

/** Returns the paths of all fields, with `*` for those that the merchant names. */
export function pathsOf({ properties = {}, isMap }: EventSchema, prefix = ''): string[] {
  const below = Object.entries(properties).flatMap(([name, field]) => [
    ...(field.isMap ? [] : [prefix + name]),
    ...pathsOf(field, `${prefix}${name}.`),
  ])
  return isMap ? [...below, `${prefix}*`] : below
}

/** Returns what is wrong with a value, for example `data.amount_cents has to be of type integer.`; undefined if nothing is. */
export function problemOf(value: unknown, schema: EventSchema, path: string): string | undefined {
  const { types, values } = schema
  if (types.length > 0 && !types.some(type => isOfType(value, type)))
    return `${path} has to be of type ${types.join(' or ')}.`
  if (value === null) return undefined
  if (values && !values.includes(value)) return `${path} has to be one of ${values.join(', ')}.`
  if (typeof value === 'string') return problemOfText(value, schema, path)
  if (typeof value === 'number') return problemOfNumber(value, schema, path)
  if (Array.isArray(value)) return problemOfList(value, schema, path)
  return typeof value === 'object' ? problemOfObject(value, schema, path) : undefined
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'integer':
      return Number.isSafeInteger(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    default:
      return typeof value === type
  }
}

function problemOfText(value: string, { pattern, isTime }: EventSchema, path: string): string | undefined {
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) return `${path} has to match ${pattern}.`
  const isValidTime = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) && !Number.isNaN(Date.parse(value))
  return isTime && !isValidTime ? `${path} has to be a time such as 2026-11-21T18:04:05.123Z.` : undefined
}

function problemOfNumber(value: number, { minimum, maximum }: EventSchema, path: string): string | undefined {
  if (minimum !== undefined && value < minimum) return `${path} has to be at least ${minimum}.`
  return maximum !== undefined && value > maximum ? `${path} has to be at most ${maximum}.` : undefined
}

function problemOfList(list: readonly unknown[], { items }: EventSchema, path: string): string | undefined {
  return firstOf(list.map((item, at) => (items ? problemOf(item, items, `${path}.${at}`) : undefined)))
}

function problemOfObject(object: object, schema: EventSchema, path: string): string | undefined {
  const { properties, required = [], isMap } = schema
  if (!properties || isMap) return undefined
  const missing = required.find(name => !Object.hasOwn(object, name))
  if (missing !== undefined) return `${path} needs ${missing} too.`
  return firstOf(
    Object.entries(object).map(([name, field]) => {
      const known = Object.hasOwn(properties, name) ? properties[name] : undefined
      const at = path === '' ? name : `${path}.${name}`
      return known ? problemOf(field, known, at) : `There is no field ${at}.`
    }),
  )
}

const firstOf = (problems: readonly (string | undefined)[]) => problems.find(problem => problem !== undefined)
