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

interface Column {
  at: string
  type: string
}

const columnsOfSchema = `
  select c.relname || '.' || a.attname as at,
    format_type(a.atttypid, a.atttypmod) || case when a.attnotnull then '' else ' null' end as type
  from pg_attribute a
  join pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p') and not c.relispartition
  where c.relnamespace = ?::regnamespace and a.attnum > 0 and not a.attisdropped`

/**
 * Compares a service's entities with the migrated tables and returns a line for each column that differs. Does not compare keys,
 * checks and indexes, which only migrations declare.
 */
export async function schemaDrift(db: OpenSchema): Promise<string[]> {
  const declared = [...db.orm.getMetadata().getAll().values()].flatMap(({ tableName, props }) =>
    columnsOf(tableName, props),
  )
  const existing = (await db.read(em => em.execute(columnsOfSchema, [db.schema]))) as Column[]
  const tables = new Set(declared.map(column => tableOf(column)))
  const migrated = existing.filter(column => tables.has(tableOf(column)))
  return [...missing(declared, migrated, 'only in the entity'), ...missing(migrated, declared, 'only in the table')]
}

function missing(columns: Column[], others: Column[], where: string): string[] {
  const known = new Set(others.map(({ at, type }) => `${at} ${type}`))
  return columns
    .map(({ at, type }) => `${at} ${type}`)
    .filter(column => !known.has(column))
    .map(column => `${column}: ${where}`)
}

function columnsOf(table: string, props: Property[]): Column[] {
  return props
    .filter(({ persist, fieldNames }) => persist !== false && fieldNames !== undefined)
    .flatMap(({ fieldNames = [], columnTypes = [], nullable }) =>
      fieldNames.map((name, i) => ({
        at: `${table}.${name}`,
        type: typeName(columnTypes[i]) + (nullable ? ' null' : ''),
      })),
    )
}

/** MikroORM's default for strings is varchar(255), and the migrations use text. */
function typeName(type = ''): string {
  const names: Record<string, string> = { 'varchar(255)': 'text', int: 'integer' }
  return names[type] ?? type.replace(/^timestamptz(\(\d\))?$/, 'timestamp$1 with time zone')
}

function tableOf({ at }: Column): string {
  return at.slice(0, at.indexOf('.'))
}
