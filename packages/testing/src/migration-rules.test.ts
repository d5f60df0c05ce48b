import { findViolations } from './migration-rules.ts'

const rulesBrokenBy = async (statements: string[], transactional: boolean) => [
  ...new Set((await findViolations({ name: '0002-x', statements, transactional })).map(({ rule }) => rule)),
]
const broken = (sql: string) => rulesBrokenBy([sql], true)
const brokenInSteps = (...statements: string[]) => rulesBrokenBy(statements, false)

test.each([
  ['drop table orders', 'drop'],
  ['drop view totals', 'drop'],
  ['drop function total(text)', 'drop'],
  ['drop trigger counted on orders', 'drop'],
  ['alter table orders drop column note', 'drop'],
  ['alter table events detach partition events_2026_01', 'drop'],
  ['alter table orders rename to purchases', 'rename'],
  ['alter table orders rename column note to remark', 'rename'],
  ['alter table orders rename constraint a to b', 'rename'],
  ['alter function total(text) rename to sum_of', 'rename'],
  ['alter table orders set schema other', 'rename'],
  ['alter table orders add column note text not null', 'required-column'],
  ['alter table orders add column a int default 1, add column b int not null', 'required-column'],
  ['alter table orders alter column note drop default', 'drop-default'],
  ['alter table orders alter column number drop identity', 'drop-default'],
  ['alter table orders alter column upper drop expression', 'drop-default'],
  ['alter table orders alter column note set not null', 'set-not-null'],
  ['alter table orders alter column note type varchar(10)', 'column-type'],
  ['alter table orders add column token uuid default gen_random_uuid()', 'filled-column'],
  ['alter table orders add column at timestamptz not null default clock_timestamp()', 'filled-column'],
  [`alter table orders add column at timestamptz default now() + random() * interval '1 day'`, 'filled-column'],
  ['alter table orders add column number bigserial', 'filled-column'],
  ['alter table orders add column number bigint generated always as identity', 'filled-column'],
  ['alter table orders add column upper text generated always as (upper(note)) stored', 'filled-column'],
  ['alter table orders add check (total > 0)', 'validated-constraint'],
  ['alter table orders add constraint positive check (total > 0)', 'validated-constraint'],
  ['alter table orders add column total int check (total > 0)', 'validated-constraint'],
  ['alter table orders add foreign key (customer_id) references customers', 'validated-constraint'],
  ['alter table orders add column customer_id text references customers', 'validated-constraint'],
  ['alter table orders validate constraint positive', 'validated-in-transaction'],
  ['create index orders_note on orders (note)', 'blocking-index'],
  ['create unique index orders_note on shop.orders (note)', 'blocking-index'],
  ['alter table orders add constraint orders_note unique (note)', 'blocking-index'],
  ['alter table orders add primary key (id)', 'blocking-index'],
  ['alter table orders add exclude using gist (during with &&)', 'blocking-index'],
  ['alter table orders add column note text unique', 'blocking-index'],
  ['reindex table orders', 'blocking-index'],
  ['drop index orders_note', 'drop-index'],
  ['alter table orders drop constraint orders_pkey', 'drop-unique'],
  ['alter table orders drop constraint if exists orders_note_key', 'drop-unique'],
  ['lock table orders in share mode', 'lock-table'],
  ['truncate orders', 'truncate'],
  [`update orders set note = ''`, 'changed-rows'],
  ['update orders set note = c.name from customers c where c.id = customer_id', 'changed-rows'],
  ['delete from orders where total = 0', 'changed-rows'],
  ['with gone as (delete from orders returning *) select count(*) from gone', 'changed-rows'],
  ['merge into orders using customers c on c.id = customer_id when matched then delete', 'changed-rows'],
  ['vacuum (full) orders', 'table-rewrite'],
  ['cluster orders using orders_note', 'table-rewrite'],
  ['alter table orders set unlogged', 'table-rewrite'],
  ['revoke insert on orders from shop', 'revoke'],
  ['revoke all on all tables in schema shop from shop', 'revoke'],
  ['alter table orders enable row level security', 'revoke'],
  ['create policy own on orders using (owner = current_user)', 'revoke'],
  ['do $$ begin delete from orders; end $$', 'unchecked-block'],
])('the migration rules reject "%s" as %s', async (sql, rule) => {
  expect(await broken(sql)).toEqual([rule])
})

test.each([
  'alter table orders add column note text',
  `alter table orders add column note text not null default 'none'`,
  'alter table orders add column at timestamptz not null default now()',
  'alter table orders add column at timestamptz not null default current_timestamp',
  `alter table orders alter column note set default 'none', alter column note drop not null`,
  'alter table orders add constraint positive check (total > 0) not valid',
  'alter table orders add foreign key (customer_id) references customers not valid',
  'alter table orders add constraint orders_note unique using index orders_note',
  'alter table orders drop constraint positive',
  'create table carts (id text primary key, order_id text not null references orders, total int check (total > 0))',
  'insert into totals select customer_id, sum(total) from orders group by customer_id',
  'grant select on orders to shop',
  'vacuum orders',
  `-- drop table orders;\nselect 'truncate orders'`,
])('the migration rules accept "%s"', async sql => {
  expect(await broken(sql)).toEqual([])
})

test('the migration rules exempt objects that the same migration has created before', async () => {
  const carts = 'create table shop.carts (id text, note text)'
  const changes = `
    create index carts_note on carts (note); drop index carts_note;
    alter table carts alter column note set not null, add column total int not null, add check (total > 0), drop column id;
    update carts set note = ''; lock table carts; revoke insert on carts from shop; truncate carts;
    alter table carts rename to baskets`
  expect(await broken(`${carts}; ${changes}`)).toEqual([])
  expect(await broken(`create function f() returns void language sql as 'select 1'; drop function f()`)).toEqual([])
  expect(await broken(`update carts set note = ''; ${carts}`)).toEqual(['changed-rows'])
  expect(await broken(`create table if not exists carts (id text); truncate carts`)).toEqual(['truncate'])
})

test('the migration rules reject dropping a unique constraint of an earlier migration, whatever its name', async () => {
  const made = (sql: string) => ({ name: '0001-x', statements: [sql], transactional: true })
  const drop = { name: '0002-x', statements: ['alter table orders drop constraint once'], transactional: true }
  for (const sql of [
    'create table orders (note text, constraint once unique (note))',
    'create table orders (note text constraint once primary key)',
    'alter table orders add constraint once unique using index orders_note',
  ])
    expect((await findViolations(drop, [made(sql)])).map(({ rule }) => rule)).toEqual(['drop-unique'])
  const check = made('create table orders (total int, constraint once check (total > 0))')
  expect(await findViolations(drop, [check])).toEqual([])
})

test('the migration rules ignore the bodies of functions that a migration creates', async () => {
  const body = 'delete from orders; truncate orders; drop table orders'
  expect(await broken(`create or replace function clear() returns void language sql as $$ ${body} $$`)).toEqual([])
  const atomic = 'create function clear() returns void language sql begin atomic delete from orders; end'
  expect(await broken(atomic)).toEqual([])
})

test('a violation of the migration rules shows the start of its statement, even after non-ASCII characters', async () => {
  const statements = [`select 'ñandú €';\n\n-- A comment.\ntruncate\norders; select 1; truncate carts`]
  expect(await findViolations({ name: '0002-x', statements, transactional: true })).toEqual([
    { rule: 'truncate', statement: 'truncate orders' },
    { rule: 'truncate', statement: 'truncate carts' },
  ])
})

test('a migration in steps may only create and drop indexes concurrently and repeatably', async () => {
  const [drop, create] = [
    'drop index concurrently if exists orders_note',
    'create unique index concurrently orders_note on orders (note)',
  ]
  expect(await brokenInSteps(drop, create)).toEqual([])
  expect(await brokenInSteps(drop)).toEqual([])
  expect(await brokenInSteps(create)).toEqual(['unrepeatable'])
  expect(await brokenInSteps(create, drop)).toEqual(['unrepeatable'])
  expect(await brokenInSteps('drop index concurrently orders_note', create)).toEqual(['unrepeatable'])
  expect(await brokenInSteps('drop index concurrently if exists another', create)).toEqual(['unrepeatable'])
  expect(await brokenInSteps(drop, create.replace('concurrently', ''))).toEqual(['blocking-index', 'unrepeatable'])
})

test('a migration in steps may validate constraints and alter nothing else', async () => {
  expect(await brokenInSteps('alter table orders validate constraint positive')).toEqual([])
  expect(await brokenInSteps('alter table orders validate constraint positive, alter note drop not null')).toEqual([
    'unrepeatable',
  ])
})

test('a migration in steps may change rows in committed batches, and rejects what belongs in a transaction', async () => {
  expect(await brokenInSteps('do $$ begin loop exit; commit; end loop; end $$')).toEqual([])
  expect(await brokenInSteps('alter table orders add column note text')).toEqual(['unrepeatable'])
  expect(await brokenInSteps('update orders set note = null')).toEqual(['changed-rows', 'unrepeatable'])
})

test('the migration rules throw on a syntax error', async () => {
  await expect(broken('create tabel orders (id text)')).rejects.toThrow('syntax error')
})
