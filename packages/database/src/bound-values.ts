import { isDate } from 'node:util/types'
import { type Dictionary, isRaw, JsonProperty, type Platform, raw, Utils } from '@mikro-orm/core'
import { type MikroORM, NativeQueryBuilder } from '@mikro-orm/postgresql'
import { CompiledQuery, type QueryResult } from 'kysely'
import { isPlanOutdated } from './database-errors.ts'

type Execute = ReturnType<MikroORM['em']['getConnection']>['execute']
type Query = Parameters<Execute>[0]

/**
 * Makes MikroORM send values as parameters (`$1`, `$2`, …) instead of writing them into the text of the statement.
 * So the texts are few, and PostgreSQL can keep their plans. Remove once mikro-orm/mikro-orm#8001 is implemented.
 * Leaves out what no one uses here: `onQuery`, the log of queries, and signals that abort a query.
 */
export function bindValues(orm: MikroORM): void {
  const connection = orm.em.getConnection()
  const platform = orm.config.getPlatform()
  const execute = async (...[query, params = [], method = 'all', transaction]: Parameters<Execute>) => {
    await connection.ensureConnection()
    const compiled = compile(platform, query, params)
    const client = transaction ?? connection.getClient()
    const run = (): Promise<QueryResult<unknown>> => client.executeQuery(compiled)
    const result = await run().catch((error: unknown) => {
      // Nothing happened, and the next execution plans again. In a transaction the whole of it has to run again.
      if (transaction || !isPlanOutdated(error)) throw error
      return run()
    })
    return resultOf(result, method)
  }
  connection.execute = execute as Execute
}

/** Returns a statement with `$1`, `$2` and so on for its placeholders, and their values. */
function compile(platform: Platform, query: Query, params: readonly unknown[] | Dictionary<unknown>) {
  const { sql, params: given } = fragmentOf(query, params)
  const values: unknown[] = []
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
  return CompiledQuery.raw(binding.formatQuery(sql, given), values)
}

function fragmentOf(query: Query, params: readonly unknown[] | Dictionary<unknown>) {
  if (query instanceof NativeQueryBuilder) return query.toRaw()
  if (isRaw(query)) return query
  return Array.isArray(params) ? { sql: query, params } : raw(query, params)
}

/** Returns a value as `pg` sends it. `pg` itself would send a date in the time zone of the process. */
function boundValue(value: unknown): unknown {
  if (isDate(value)) return value.toISOString()
  const isJson = Utils.isPlainObject(value) || (Array.isArray(value) && JsonProperty in value)
  return isJson ? JSON.stringify(value) : value
}

/** Returns what MikroORM expects of `execute`: all rows, the first, or the number of affected rows with the rows. */
function resultOf({ rows, numAffectedRows }: QueryResult<unknown>, method: Parameters<Execute>[2]) {
  if (method === 'all') return rows
  if (method === 'get') return rows[0]
  return { affectedRows: Number(numAffectedRows ?? rows.length), row: rows[0], rows }
}
