import { flattened, nameOf, type Schema, type Schemas, typeOf } from '@cobro/generate/schema-types'

/** A row of a table of fields. */
interface Field {
  name: string
  type: string
  text: string
}

/** Returns a table of an object's fields in Markdown; nested objects are listed with the names of their parents. */
export function fieldTable(schema: Schema, schemas: Schemas, kind: 'input' | 'output'): string {
  const rows = fieldsOf(schema, schemas, kind, '')
  if (rows.length === 0) return ''
  const lines = rows.map(({ name, type, text }) => `| \`${name}\` | ${cell(type)} | ${cell(text)} |`)
  return ['| Field | Type | What it is |', '| --- | --- | --- |', ...lines].join('\n')
}

/** Returns the table of parameters in an address. */
export function parameterTable(parameters: readonly Schema[], schemas: Schemas): string {
  const lines = parameters.map(({ name, schema, description }) => {
    const text = description ?? resolved(schema, schemas).description ?? ''
    return `| \`${name}\` | ${cell(shownType(schema, schemas))} | ${cell(text)} |`
  })
  return ['| Parameter | Type | What it does |', '| --- | --- | --- |', ...lines].join('\n')
}

const deepest = 3

function fieldsOf(schema: Schema, schemas: Schemas, kind: 'input' | 'output', prefix: string): Field[] {
  const { properties = {}, required = [] } = resolved(schema, schemas)
  return Object.entries<Schema>(properties).flatMap(([field, own]) => {
    const name = `${prefix}${field}`
    const target = resolved(own, schemas)
    const needed = kind === 'input' && required.includes(field) ? ' **Required.**' : ''
    const text = `${own.description ?? target.description ?? ''}${needed}`
    const row = { name, type: shownType(own, schemas), text }
    const inner = innerObject(own, schemas)
    const isDeep = name.split('.').length >= deepest
    return inner && !isDeep ? [row, ...fieldsOf(inner, schemas, kind, `${name}.`)] : [row]
  })
}

/** Follows references, and merges an object with those that it extends. */
function resolved(schema: Schema, schemas: Schemas): Schema {
  return flattened(schema.$ref ? schemas[nameOf(schema)] : schema, schemas)
}

/** Returns the object whose fields are worth listing: the field's own, or that of its items. */
function innerObject(schema: Schema, schemas: Schemas): Schema | undefined {
  const target = resolved(schema, schemas)
  const choices: Schema[] = target.anyOf ?? target.oneOf ?? []
  const [only, ...others] = choices.filter(choice => choice.type !== 'null')
  if (only && others.length === 0) return innerObject(only, schemas)
  if (target.type === 'array') return innerObject(target.items, schemas)
  return Object.keys(target.properties ?? {}).length > 0 ? target : undefined
}

/** Names types as people read them: an enum by its values, an id by its text. */
function shownType(schema: Schema, schemas: Schemas): string {
  const target = resolved(schema, schemas)
  const values: Schema[] | undefined = target.enum
  if (values) return values.map(value => `\`${value}\``).join(' or ')
  if ('const' in target) return `\`${target.const}\``
  if (target.type === 'array') return `list of ${shownType(target.items, schemas)}`
  if (target.properties) return 'object'
  const choices: Schema[] | undefined = target.anyOf ?? target.oneOf
  if (choices) return [...new Set(choices.map(choice => shownType(choice, schemas)))].join(' or ')
  return typeOf(target, '')
    .replaceAll(' | ', ' or ')
    .replace(/^Record<.*>$/, 'object')
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
