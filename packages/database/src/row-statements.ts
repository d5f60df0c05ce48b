import { type Column, quoted, type Row, type Shape, valuesOf } from './row-columns.ts'

/** A row to write, and the columns to write of it. */
export interface RowChange {
  shape: Shape
  row: Row
  /** A snapshot for each of `shape.columns`. */
  stored: unknown[]
  /** The positions of the columns to write. */
  columns: number[]
}

/** A statement with a `?` for each of its values. */
export interface Write {
  sql: string
  values: unknown[]
}

type Group = [RowChange, ...RowChange[]]

/** Returns the statements that insert and update rows. Rows of a table with the same columns to write share one. */
export function writesOf(inserts: RowChange[], updates: RowChange[]): Write[] {
  return [...groupsOf(inserts).map(insertOf), ...groupsOf(updates).map(updateOf)]
}

function groupsOf(changes: RowChange[]): Group[] {
  const groups = new Map<string, Group>()
  for (const change of changes) {
    const id = `${change.shape.table} ${change.columns.join()}`
    const group = groups.get(id)
    if (group) group.push(change)
    else groups.set(id, [change])
  }
  return [...groups.values()]
}

function insertOf([first, ...others]: Group): Write {
  const { shape, columns } = first
  const names = columnsAt(shape, columns).map(({ name }) => quoted(name))
  const into = `insert into ${shape.table} (${names.join(', ')})`
  if (others.length === 0)
    return { sql: `${into} values (${columns.map(() => '?').join(', ')})`, values: boundValues(first, columns) }
  return {
    sql: `${into} select ${names.join(', ')} from ${recordsOf(shape)}`,
    values: [jsonOf([first, ...others], columns)],
  }
}

function updateOf([first, ...others]: Group): Write {
  const { shape, columns } = first
  const names = columnsAt(shape, columns).map(({ name }) => name)
  const written = [...columns, ...shape.keyColumns]
  if (others.length === 0) {
    const sql = `update ${shape.table} set ${valuesOf(names, ', ')} where ${valuesOf(shape.key, ' and ')}`
    return { sql, values: boundValues(first, written) }
  }
  const changes = names.map(name => `${quoted(name)} = changed.${quoted(name)}`).join(', ')
  const condition = shape.key.map(name => `current.${quoted(name)} = changed.${quoted(name)}`).join(' and ')
  const sql = `update ${shape.table} current set ${changes} from ${recordsOf(shape)} changed where ${condition}`
  return { sql, values: [jsonOf([first, ...others], written)] }
}

const columnsAt = ({ columns }: Shape, positions: number[]): Column[] => positions.map(at => columns[at] as Column)

function boundValues({ shape, row, stored }: RowChange, positions: number[]): unknown[] {
  return positions.map(at => {
    const { name, isTime } = shape.columns[at] as Column
    return isTime ? row[name] : stored[at]
  })
}

/** Many rows are one value, so that the text does not depend on their number. */
const recordsOf = ({ table }: Shape): string => `json_populate_recordset(null::${table}, ?::json)`

function jsonOf(changes: RowChange[], positions: number[]): string {
  const records = changes.map(({ shape, row }) =>
    Object.fromEntries(columnsAt(shape, positions).map(({ name, inJson }) => [name, inJson(row[name])])),
  )
  return JSON.stringify(records)
}
