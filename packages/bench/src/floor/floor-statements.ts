import type { Pool } from 'pg'

export type Row = Record<string, unknown>

/** A part of a statement: rows to insert into a table of the floor, or other SQL with its values. */
export type Part = { into: string; rows: Row[] } | { sql: string; values: unknown[] }

const texts = new Map<string, string>()

/**
 * Runs parts as one statement, which is a transaction of its own. The parts of a name always have
 * the same form, so that it is prepared once for each connection. Returns the rows of the last part.
 */
export async function runStatement(pool: Pool, name: string, parts: readonly Part[]): Promise<Row[]> {
  const text = texts.get(name) ?? textOf(parts)
  texts.set(name, text)
  const { rows } = await pool.query({ name: `floor_${name}`, text, values: parts.flatMap(valuesOf) })
  return rows
}

/** A part that inserts any number of rows. */
export function insertAll(table: string, rows: readonly Row[]): Part {
  const columns = Object.keys(rows[0] ?? {}).join(', ')
  const sql = `insert into floor.${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::floor.${table}, $1)`
  return { sql, values: [JSON.stringify(rows)] }
}

const valuesOf = (part: Part) => ('sql' in part ? part.values : part.rows.flatMap(row => Object.values(row)))

function textOf(parts: readonly Part[]): string {
  let used = 0
  const texts = parts.map(part => {
    const first = used
    used += valuesOf(part).length
    return sqlOf(part).replaceAll(/\$(\d+)/g, (_all, number) => `$${first + Number(number)}`)
  })
  const last = texts.pop()
  return texts.length === 0 ? `${last}` : `with ${texts.map((text, at) => `part${at} as (${text})`).join(', ')} ${last}`
}

function sqlOf(part: Part): string {
  if ('sql' in part) return part.sql
  const columns = Object.keys(part.rows[0] ?? {})
  const places = part.rows.map((_row, row) => columns.map((_column, at) => `$${row * columns.length + at + 1}`))
  return `insert into floor.${part.into} (${columns.join(', ')}) values ${places.map(row => `(${row.join(', ')})`).join(', ')}`
}
