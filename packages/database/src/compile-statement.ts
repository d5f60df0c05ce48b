import { isDate } from 'node:util/types'
import { type Dictionary, isRaw, JsonProperty, type Platform, raw, Utils } from '@mikro-orm/core'
import { type MikroORM, NativeQueryBuilder } from '@mikro-orm/postgresql'

export type Execute = ReturnType<MikroORM['em']['getConnection']>['execute']
type Query = Parameters<Execute>[0]

interface GivenStatement {
  query: Query
  params: readonly unknown[] | Dictionary<unknown>
}

/** A text that was compiled for single values, by the number of values before them. */
interface CompiledText {
  /** How many values it has. */
  count: number
  texts: Map<number, string>
}

/** By the given text: services repeat a few hundred. */
const compiledTexts = new Map<string, CompiledText>()
const maxTexts = 500
/** Texts with more values have a placeholder for each element of some list. */
const maxCount = 100

/**
 * Returns the text of a statement with `$1`, `$2` and so on for its placeholders, and appends their values to those given,
 * which may belong to statements that are sent together with this one.
 */
export function compileStatement(platform: Platform, { query, params }: GivenStatement, values: unknown[]): string {
  const { sql, params: given } = fragmentOf(query, params)
  if (given.length === 0 || !given.every(isSingle)) return compile(platform, { sql, given }, values)
  const before = values.length
  const known = compiledTexts.get(sql)
  const text = known?.count === given.length ? known.texts.get(before) : undefined
  if (text === undefined) return compileAndRemember(platform, { sql, given }, values)
  for (const value of given) values.push(boundValue(value))
  return text
}

/** Whether a value has one placeholder, and no text of its own. */
const isSingle = (value: unknown): boolean =>
  typeof value !== 'object' || !(isRaw(value) || (Array.isArray(value) && !(JsonProperty in value)))

interface Fragment {
  sql: string
  given: readonly unknown[]
}

/** Remembers no text with an identifier among what is given: it has fewer values. */
function compileAndRemember(platform: Platform, { sql, given }: Fragment, values: unknown[]): string {
  const before = values.length
  const text = compile(platform, { sql, given }, values)
  const count = values.length - before
  if (count !== given.length || count > maxCount) return text
  if (compiledTexts.size >= maxTexts) compiledTexts.clear()
  const known = compiledTexts.get(sql)
  if (known) known.texts.set(before, text)
  else compiledTexts.set(sql, { count, texts: new Map([[before, text]]) })
  return text
}

function compile(platform: Platform, { sql, given }: Fragment, values: unknown[]): string {
  const add = (value: unknown): string => {
    // Lists of MikroORM, such as of `in (?)`. An array that is JSON has a mark.
    if (Array.isArray(value) && !(JsonProperty in value)) return value.map(add).join(', ')
    return `$${values.push(boundValue(value))}`
  }
  // The platform's own parser of placeholders, which asks this one for what to write for a value. An object that inherits has no
  // private fields, but the parser uses none.
  const binding: Platform = Object.create(platform, {
    quoteValue: {
      value: (value: unknown) => (isRaw(value) ? binding.formatQuery(value.sql, value.params) : add(value)),
    },
  })
  return binding.formatQuery(sql, given)
}

function fragmentOf(query: Query, params: readonly unknown[] | Dictionary<unknown>) {
  if (query instanceof NativeQueryBuilder) return query.toRaw()
  if (isRaw(query)) return query
  return Array.isArray(params) ? { sql: query, params } : raw(query, params)
}

/**
 * Returns a value as `pg` sends it. `pg` itself would send a date in the time zone of the process. Rejects other objects, because
 * `pg` would do so too late: after the commit that follows the statement is sent.
 */
export function boundValue(value: unknown): unknown {
  if (isDate(value)) return value.toISOString()
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  if (Utils.isPlainObject(value) || (Array.isArray(value) && JsonProperty in value)) return JSON.stringify(value)
  throw new TypeError(`A statement cannot have a value of type ${value.constructor.name}.`)
}
