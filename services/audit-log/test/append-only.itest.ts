import { newId } from '@cobro/contracts'
import { migrate, openDatabase } from '@cobro/database'
import { schemaDrift, type TestDatabase, testDatabase } from '@cobro/testing'
import { migrations } from '../migrations/all-audit-log.ts'
import { AuditEventEntity } from '../src/events/audit-event-entity.ts'

type Role = 'service' | 'keeper' | 'other service' | 'migrator' | 'owner' | 'superuser'

let database: TestDatabase
let connections: Record<Role, ReturnType<typeof openDatabase>>
const columns = '(id, seq, content, action, category, actor, occurred_at)'
const values = () => `('${newId('evt')}', 1, '', 'x', 'api', '{}', now())`

const now = new Date()
const partition = `audit.events_${now.getUTCFullYear()}_${String(now.getUTCMonth() + 1).padStart(2, '0')}`
const tables = ['audit.events', partition]

beforeAll(async () => {
  database = await testDatabase({ schemas: ['audit', 'checkout'] })
  await migrate({ url: database.migratorUrl, schema: 'audit', migrations })
  const connect = (url: string) => openDatabase({ url, schema: 'audit', entities: [AuditEventEntity], poolSize: 1 })
  connections = {
    service: connect(database.url('audit')),
    keeper: connect(database.auditKeeperUrl),
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

/** Runs statements as a role, in one transaction. */
async function run(role: Role, ...statements: string[]): Promise<void> {
  await connections[role].write(async tx => {
    if (role === 'owner') await tx.execute('set local role cobro_audit_owner')
    for (const statement of statements) await tx.execute(statement)
  })
}

async function outcome(role: Role, statement: string): Promise<'allowed' | 'denied'> {
  const undo = new Error('undo')
  const failure = await run(role, statement, `do $$ begin raise exception 'undo'; end $$`).catch(
    error => error as Error,
  )
  if (/undo/.test(String(failure?.message ?? undo))) return 'allowed'
  // 42501 is insufficient_privilege. The trigger raises it too.
  expect(failure).toMatchObject({ code: '42501' })
  return 'denied'
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

/**
 * What each role may do. The keeper can drop months older than a year, only through a function.
 * The owner cannot log in: it is the role of migrations, which may change tables but no rows.
 */
const allowed: Record<Role, Record<string, string[]>> = {
  service: { 'audit.events': [...reading, ...adding], [partition]: [] },
  keeper: { 'audit.events': [], [partition]: [] },
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
      const expected = allowed[role as Role][table]?.includes(statement) ? 'allowed' : 'denied'
      return [role as Role, statement, table, expected] as const
    }),
  ),
)

test.each(cells)('as the role %s, the statement %s on %s is %s', async (role, statement, table, expected) => {
  expect(await outcome(role, statements[statement]!(table))).toBe(expected)
})

const appendOnlyRows = {
  checkpoints: `(size, leaves, frontier, note, created_at) values (1, sha256(''), '', 'x', now())`,
  retirements: `(month, seq, content) values ('2020-01-01', 1, '')`,
  restores: `(seq, content) values (1, '')`,
}

test.each(Object.entries(appendOnlyRows))(
  'rows of audit.%s can be added by the service only, and changed by no role',
  async (table, row) => {
    expect(await outcome('service', `insert into audit.${table} ${row}`)).toBe('allowed')
    for (const role of ['keeper', 'other service', 'migrator'] as const)
      expect(await outcome(role, `insert into audit.${table} ${row}`)).toBe('denied')
    const [column] = row.slice(1).split(',')
    for (const role of Object.keys(connections) as Role[])
      for (const change of [
        `update audit.${table} set ${column} = ${column}`,
        `delete from audit.${table}`,
        `truncate audit.${table}`,
      ])
        expect([role, change, await outcome(role, change)]).toEqual([role, change, 'denied'])
  },
)

test.each<[Role, string, 'allowed' | 'denied']>([
  ['service', 'select * from audit.tree_head for update', 'allowed'],
  ['service', `update audit.tree_head set size = 0, frontier = '', previous = ''`, 'allowed'],
  ['service', 'update audit.tree_head set placed = 1', 'denied'],
  ['service', 'delete from audit.tree_head', 'denied'],
  ['service', 'truncate audit.tree_head', 'denied'],
  ['service', `insert into audit.tree_head (size, frontier, previous, placed) values (0, '', '', 0)`, 'denied'],
  ['service', 'select audit.make_partitions()', 'allowed'],
  ['service', `select audit.make_month('2020-01-01')`, 'denied'],
  ['service', `select audit.drop_partition('2020-01-01')`, 'denied'],
  ['keeper', 'select * from audit.tree_head', 'denied'],
  ['keeper', 'select audit.make_partitions()', 'denied'],
  ['keeper', 'select audit.drop_partition(current_date)', 'denied'],
  ['other service', 'select audit.make_partitions()', 'denied'],
  ['other service', `select audit.drop_partition('2020-01-01')`, 'denied'],
])('as the role %s, the statement "%s" is %s', async (role, statement, expected) => {
  expect(await outcome(role, statement)).toBe(expected)
})

test('events cannot be changed with session_replication_role, which disables ordinary triggers', async () => {
  for (const table of tables) {
    const update = run(
      'superuser',
      'set local session_replication_role = replica',
      `update ${table} set action = 'changed'`,
    )
    await expect(update).rejects.toThrow(/never changed/)
  }
})

test('the owner of the audit tables cannot log in', async () => {
  const rows = await connections.superuser.read(em =>
    em.execute(`select rolcanlogin from pg_roles where rolname = 'cobro_audit_owner'`),
  )
  expect(rows).toEqual([{ rolcanlogin: false }])
})

test('the audit event entity matches the migrated table', async () => {
  expect(await schemaDrift(connections.superuser)).toEqual([])
})
