interface Property {
  fieldNames?: string[]
  columnTypes?: string[]
  nullable?: boolean
  persist?: boolean
}

/** The parts of a service's database that the comparison uses. */
interface OpenSchema {
  schema: string
  orm: { getMetadata(): { getAll(): Map<unknown, { tableName: string; props: Property[] }> } }
  read<T>(work: (em: { execute(sql: string, params: unknown[]): Promise<unknown> }) => Promise<T>): Promise<T>
}

const columnsOfSchema = `
  select c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
    || case when a.attnotnull then '' else ' null' end as declaration
  from pg_attribute a
  join pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p') and not c.relispartition
  where c.relnamespace = ?::regnamespace and a.attnum > 0 and not a.attisdropped`

/**
 * Compares a service's entities with the migrated tables and returns a line for each difference of
 * columns. Skips keys, checks and indexes, which only migrations declare.
 */
export async function schemaDrift(db: OpenSchema): Promise<string[]> {
  const entities = [...db.orm.getMetadata().getAll().values()]
  const declared = entities.flatMap(({ tableName, props }) => props.flatMap(property => columnsOf(tableName, property)))
  const existing = (await db.read(em => em.execute(columnsOfSchema, [db.schema]))) as { declaration: string }[]
  const tables = entities.map(({ tableName }) => `${tableName}.`)
  const migrated = existing
    .map(({ declaration }) => declaration)
    .filter(column => tables.some(table => column.startsWith(table)))
  return [
    ...declared.filter(column => !migrated.includes(column)).map(column => `${column}: only in the entity`),
    ...migrated.filter(column => !declared.includes(column)).map(column => `${column}: only in the table`),
  ]
}

/** Returns a property's columns as table, name and type, such as `branches.name text null`. */
function columnsOf(table: string, { persist, fieldNames = [], columnTypes = [], nullable }: Property): string[] {
  if (persist === false) return []
  return fieldNames.map((name, i) => `${table}.${name} ${typeName(columnTypes[i])}${nullable ? ' null' : ''}`)
}

/** MikroORM's default for strings is varchar(255), and the migrations use text. */
function typeName(type = ''): string {
  const names: Record<string, string> = { 'varchar(255)': 'text', int: 'integer' }
  return names[type] ?? type.replace(/^timestamptz(\(\d\))?$/, 'timestamp$1 with time zone')
}
