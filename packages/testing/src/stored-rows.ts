import { isDeepStrictEqual } from 'node:util'
import { type TestDatabase, testDatabase } from './test-database.ts'

interface Property {
  name: string
  columnTypes: string[]
  runtimeType: string
  nullable?: boolean
  persist?: boolean
  onUpdate?: unknown
}

interface Metadata {
  class: unknown
  tableName: string
  primaryKeys: string[]
  props: Property[]
}

type Row = Record<string, unknown>

interface OpenDatabase {
  schema: string
  orm: { getMetadata(): { getAll(): Map<unknown, Metadata> } }
  read(work: (em: any) => Promise<any>): Promise<any>
  write(work: (tx: any) => Promise<any>): Promise<any>
  close(): Promise<void>
}

/** The parts of the database package that the comparison uses. */
interface RowFunctions {
  openDatabase(settings: any): OpenDatabase
  findRow(em: any, entity: any, where: any): Promise<unknown>
  newRow(tx: any, entity: any, data: any): unknown
}

/**
 * Writes and reads rows of each entity with all kinds of values, in tables without constraints, by MikroORM and by the database
 * package's own functions. Returns a line for each difference.
 */
export async function storedRowDifferences(
  functions: RowFunctions,
  { schema, entities }: { schema: Parameters<TestDatabase['url']>[0]; entities: readonly unknown[] },
): Promise<string[]> {
  const database = await testDatabase({ schemas: [schema] })
  const db = functions.openDatabase({ url: database.url(schema), schema, entities })
  try {
    const differences: string[] = []
    for (const metadata of db.orm.getMetadata().getAll().values()) {
      await createTable(database, schema, metadata)
      differences.push(...(await comparison({ ...functions, db }, metadata)))
    }
    return differences
  } finally {
    await db.close()
    await database.drop()
  }
}

const storedProps = ({ props }: Metadata) => props.filter(({ persist }) => persist !== false)

async function createTable({ query }: TestDatabase, schema: string, metadata: Metadata): Promise<void> {
  const columns = storedProps(metadata).map(property => `"${property.name}" ${typeOf(property)}`)
  const table = `${schema}.${metadata.tableName}`
  await query(`create table ${table} (${columns.join(', ')})`)
  await query(`grant select, insert, update on ${table} to public`)
}

/** MikroORM's default for strings is varchar(255), and the migrations use text. */
const typeOf = ({ columnTypes: [type = ''] }: Property): string => (type.startsWith('varchar') ? 'text' : type)

const samples: Record<string, unknown[]> = {
  text: [`Ñandú "q" 'a' \\ {,} $1 ?\n\ud800`, '', 'x'],
  int: [7, -1],
  bigint: [Number.MAX_SAFE_INTEGER, -5],
  'double precision': [0.1, -1e21],
  boolean: [true, false],
  date: ['2026-02-28', '1999-12-31'],
  'timestamptz(3)': [new Date('2026-05-04T03:02:01.987Z'), new Date('1969-12-31T23:59:59.001Z')],
  jsonb: [{ b: 1, a: [null, { t: `é'"\\` }] }, ['x', 'y'], 'all'],
  'text[]': [['a', 'b,c', '{"d"}', `e'"\\`, ''], []],
  bytea: [Buffer.from([0, 1, 255, 92]), Buffer.alloc(0)],
}

/** Returns rows with different values, and one with nulls. */
function samplesOf(metadata: Metadata): Row[] {
  const rows = [0, 1, 2].map(at => rowOf(metadata, property => sampleOf(property, at)))
  return [...rows, rowOf(metadata, property => (property.nullable ? null : sampleOf(property, 0)))]
}

const rowOf = (metadata: Metadata, sample: (property: Property) => unknown): Row =>
  Object.fromEntries(storedProps(metadata).map(property => [property.name, sample(property)]))

function sampleOf(property: Property, at: number): unknown {
  const values = samples[typeOf(property)]
  if (!values) throw new Error(`There is no sample of the type ${typeOf(property)} of ${property.name}.`)
  const value = values[at % values.length]
  return property.runtimeType === 'bigint' ? BigInt(value as number) : value
}

type Ways = RowFunctions & { db: OpenDatabase }

/** The first row is MikroORM's, the second is written alone, and the others together. */
const ways = [0, 1, 2, 3]

async function comparison(functions: Ways, metadata: Metadata): Promise<string[]> {
  const lines: string[] = []
  const compare = (what: string, [expected, ...others]: unknown[]) => {
    for (const other of others)
      if (!isDeepStrictEqual(other, expected))
        lines.push(`${metadata.tableName}, ${what}: ${JSON.stringify(other)} instead of ${JSON.stringify(expected)}`)
  }
  const rows = samplesOf(metadata)
  for (const [at, row] of rows.entries()) {
    const keys = ways.map(way => keyOf(metadata, at * ways.length + way))
    await insert(
      functions,
      metadata,
      keys.map(key => ({ ...row, ...key })),
    )
    compare('a new row', await storedRows(functions, metadata, keys))
    for (const key of keys) compare('a read', await bothReads(functions, metadata, key))
    await change(functions, metadata, keys, {})
    compare('an unchanged row', await storedRows(functions, metadata, keys))
    await change(functions, metadata, keys, changeTo(metadata, rows[(at + 1) % rows.length] as Row))
    compare('a changed row', await storedRows(functions, metadata, keys))
  }
  return lines
}

async function insert({ db, newRow }: Ways, { class: entity }: Metadata, [orm, alone, ...others]: Row[]) {
  await db.write(async tx => void tx.create(entity, orm))
  await db.write(async tx => void newRow(tx, entity, alone))
  await db.write(async tx => {
    for (const row of others) newRow(tx, entity, row)
  })
}

async function change({ db, findRow }: Ways, { class: entity }: Metadata, [orm, alone, ...others]: Row[], to: Row) {
  await db.write(async tx => void Object.assign(await tx.findOne(entity, orm), to))
  await db.write(async tx => void Object.assign((await findRow(tx, entity, alone)) as Row, to))
  await db.write(async tx => {
    for (const key of others) Object.assign((await findRow(tx, entity, key)) as Row, to)
  })
}

/** Columns that each change sets are left to it. */
function changeTo(metadata: Metadata, row: Row): Row {
  const left = storedProps(metadata).flatMap(({ name, onUpdate }) => (onUpdate ? [name] : []))
  return Object.fromEntries(
    Object.entries(row).filter(([name]) => !left.includes(name) && !metadata.primaryKeys.includes(name)),
  )
}

async function bothReads({ db, findRow }: Ways, { class: entity }: Metadata, key: Row): Promise<unknown[]> {
  const [expected, found] = [
    await db.read(em => em.findOne(entity, key)),
    await db.read(em => findRow(em, entity, key)),
  ]
  return [withoutUndefined(expected), withoutUndefined(found as Row)]
}

const withoutUndefined = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined))

/** Returns what is stored, without the keys. Of times that each change sets, returns only whether they were set in this test. */
async function storedRows({ db }: Ways, metadata: Metadata, keys: Row[]): Promise<unknown[]> {
  const { tableName, primaryKeys } = metadata
  const condition = primaryKeys.map(name => `"${name}" = ?`).join(' and ')
  const text = `select * from ${db.schema}.${tableName} where ${condition}`
  const rows = await Promise.all(keys.map(key => db.read(em => em.execute(text, Object.values(key)))))
  const times = storedProps(metadata).filter(({ onUpdate, runtimeType }) => onUpdate && runtimeType === 'Date')
  const isRecent = (value: string) => Date.now() - new Date(value).getTime() < 60_000
  return rows.map(([row]) => ({
    ...row,
    ...Object.fromEntries(primaryKeys.map(name => [name, undefined])),
    ...Object.fromEntries(times.map(({ name }) => [name, isRecent(row[name])])),
  }))
}

function keyOf({ primaryKeys, props }: Metadata, number: number): Row {
  const isText = (name: string) => props.some(property => property.name === name && typeOf(property) === 'text')
  return Object.fromEntries(primaryKeys.map(name => [name, isText(name) ? `row-${number}` : number]))
}
