import { isDate } from 'node:util/types'
import { type Dictionary, isRaw, JsonProperty, type Platform, raw, Utils } from '@mikro-orm/core'
import { type MikroORM, NativeQueryBuilder } from '@mikro-orm/postgresql'

export type Execute = ReturnType<MikroORM['em']['getConnection']>['execute']
type Query = Parameters<Execute>[0]

interface GivenStatement {
  query: Query
  params: readonly unknown[] | Dictionary<unknown>
}

/**
 * Returns the text of a statement with `$1`, `$2` and so on for its placeholders, and appends their values to those given,
 * which may belong to statements that are sent together with this one.
 */
export function compileStatement(platform: Platform, { query, params }: GivenStatement, values: unknown[]): string {
  const { sql, params: given } = fragmentOf(query, params)
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
function boundValue(value: unknown): unknown {
  if (isDate(value)) return value.toISOString()
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  if (Utils.isPlainObject(value) || (Array.isArray(value) && JsonProperty in value)) return JSON.stringify(value)
  throw new TypeError(`A statement cannot have a value of type ${value.constructor.name}.`)
}
