import { newId } from '@cobro/contracts'
import { migrate, openDatabase } from '@cobro/database'
import { schemaDrift, type TestDatabase, testDatabase } from '@cobro/testing'
import { migrations } from '../migrations/all-audit-log.ts'
import { AuditEventEntity } from '../src/events/audit-event-entity.ts'

type Role = 'service' | 'other service' | 'migrator' | 'owner' | 'superuser'

let database: TestDatabase
let connections: Record<Role, ReturnType<typeof openDatabase>>
const columns = '(id, action, category, actor, occurred_at)'
const values = () => `('${newId('evt')}', 'x', 'api', '{}', now())`

const now = new Date()
const partition = `audit.events_${now.getUTCFullYear()}_${String(now.getUTCMonth() + 1).padStart(2, '0')}`
const tables = ['audit.events', partition]

beforeAll(async () => {
  database = await testDatabase({ schemas: ['audit', 'checkout'] })
  await migrate({ url: database.migratorUrl, schema: 'audit', migrations })
  const connect = (url: string) => openDatabase({ url, schema: 'audit', entities: [AuditEventEntity], poolSize: 1 })
  connections = {
    service: connect(database.url('audit')),
    'other service': connect(database.url('checkout')),
    migrator: connect(database.migratorUrl),
    owner: connect(database.migratorUrl),
    superuser: connect(database.adminUrl),
  }
  await run('superuser', `insert into audit.events ${columns} values ${values()}`)
})
afterAll(async () => {
  for (const connection of Object.values(connections)) await connection.close()
  await database.drop()
})

/** Runs statements as a role and takes back what they did, so that one cell of the matrix cannot change the next. */
async function run(role: Role, ...statements: string[]): Promise<void> {
  await connections[role].write(async tx => {
    if (role === 'owner') await tx.execute('set local role cobro_audit_owner')
    for (const statement of statements) await tx.execute(statement)
  })
}

async function outcome(role: Role, statement: string): Promise<'allowed' | 'refused'> {
  const undo = new Error('undo')
  const failure = await run(role, statement, `do $$ begin raise exception 'undo'; end $$`).catch(
    error => error as Error,
  )
  if (/undo/.test(String(failure?.message ?? undo))) return 'allowed'
  // 42501: the privilege is missing, or the trigger says so.
  expect(failure).toMatchObject({ code: '42501' })
  return 'refused'
}

const statements: Record<string, (table: string) => string> = {
  select: table => `select count(*) from ${table}`,
  insert: table => `insert into ${table} ${columns} values ${values()}`,
  'insert on conflict do nothing': table => `insert into ${table} ${columns} values ${values()} on conflict do nothing`,
  'insert on conflict do update': table =>
    `insert into ${table} ${columns} values ${values()} on conflict (id) do update set action = 'changed'`,
  update: table => `update ${table} set action = 'changed'`,
  'update of no row': table => `update ${table} set action = 'changed' where false`,
  delete: table => `delete from ${table}`,
  truncate: table => `truncate ${table}`,
  merge: table => `merge into ${table} e using (select 1) s on true when matched then delete`,
  'drop trigger': table => `drop trigger immutable on ${table}`,
  'disable trigger': table => `alter table ${table} disable trigger immutable`,
  drop: table => `drop table ${table}`,
}
const reading = ['select']
const adding = ['insert', 'insert on conflict do nothing']
const definition = ['drop trigger', 'disable trigger', 'drop']

/** What each role may do. The owner cannot log in: it is the role of migrations, which may change tables and no row. */
const allowed: Record<Role, Record<string, string[]>> = {
  service: { 'audit.events': [...reading, ...adding], [partition]: [] },
  'other service': { 'audit.events': [], [partition]: [] },
  migrator: { 'audit.events': [], [partition]: [] },
  owner: {
    'audit.events': [...reading, ...adding, ...definition],
    [partition]: [...reading, ...adding, ...definition],
  },
  superuser: {
    'audit.events': [...reading, ...adding, ...definition],
    [partition]: [...reading, ...adding, ...definition],
  },
}

const cells = Object.keys(allowed).flatMap(role =>
  tables.flatMap(table =>
    Object.keys(statements).map(statement => {
      const expected = allowed[role as Role][table]?.includes(statement) ? 'allowed' : 'refused'
      return [role as Role, statement, table, expected] as const
    }),
  ),
)

test.each(cells)('as %s, %s on %s is %4$s', async (role, statement, table, expected) => {
  expect(await outcome(role, statements[statement]!(table))).toBe(expected)
})

test('session_replication_role, which switches ordinary triggers off, changes nothing', async () => {
  for (const table of tables) {
    const update = run(
      'superuser',
      'set local session_replication_role = replica',
      `update ${table} set action = 'changed'`,
    )
    await expect(update).rejects.toThrow(/never changed/)
  }
})

test('the owner of the tables cannot log in', async () => {
  const rows = await connections.superuser.read(em =>
    em.execute(`select rolcanlogin from pg_roles where rolname = 'cobro_audit_owner'`),
  )
  expect(rows).toEqual([{ rolcanlogin: false }])
})

test('the entity and the table agree', async () => {
  expect(await schemaDrift(connections.superuser)).toEqual([])
})
