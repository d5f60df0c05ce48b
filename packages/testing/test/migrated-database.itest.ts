import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { migratedDatabase, type TestDatabase } from '../src/test-database.ts'

const schema = 'acquirer_sandbox' as const
/** Schemas that no service's tests use together, so this test does not replace their template. */
const beside = ['audit'] as const
const databases: TestDatabase[] = []
afterEach(() => Promise.all(databases.splice(0).map(database => database.drop())))

/** Returns migrations that create a table with a random name and record each run. */
function newHistory() {
  const table = `notes_${randomBytes(4).toString('hex')}`
  const statements = [`create table ${schema}.${table} (text text)`]
  const runs: string[] = []
  const migrate = async ({ url, migrations }: { url: string; migrations: { statements: readonly string[] }[] }) => {
    runs.push(url)
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query(`set role cobro_${schema}_owner`)
    for (const step of migrations) for (const statement of step.statements) await client.query(statement)
    await client.end()
  }
  return { table, runs, input: { schema, beside, migrations: [{ name: '0001', statements }], migrate } }
}

async function make(input: Parameters<typeof migratedDatabase>[0]): Promise<TestDatabase> {
  const database = await migratedDatabase(input)
  databases.push(database)
  return database
}

async function asService(database: TestDatabase, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: database.url(schema) })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

test('migratedDatabase migrates once for concurrent calls and returns separate databases', async () => {
  const { table, runs, input } = newHistory()
  const [one, ...others] = await Promise.all(Array.from({ length: 3 }, () => make({ ...input })))
  expect(runs).toHaveLength(1)
  await asService(one!, `insert into ${schema}.${table} values ('mine')`)
  for (const other of others) expect(await asService(other, `select text from ${schema}.${table}`)).toEqual([])
})

test('migratedDatabase runs the migrations again when they change, and when they change back', async () => {
  const before = newHistory()
  await make({ ...before.input })
  const after = newHistory()
  const database = await make({ ...after.input })
  expect(await asService(database, `select text from ${schema}.${after.table}`)).toEqual([])
  await expect(asService(database, `select text from ${schema}.${before.table}`)).rejects.toThrow('does not exist')
  await make({ ...before.input })
  expect([before.runs.length, after.runs.length]).toEqual([2, 1])
})

test('migratedDatabase does not copy a template whose migration failed', async () => {
  const { table, input } = newHistory()
  const broken = async (options: Parameters<typeof input.migrate>[0]) => {
    await input.migrate(options)
    throw new Error('the disk is full')
  }
  await expect(make({ ...input, migrate: broken })).rejects.toThrow('the disk is full')
  const database = await make({ ...input })
  expect(await asService(database, `select text from ${schema}.${table}`)).toEqual([])
})
