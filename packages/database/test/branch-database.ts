import { type Caller, type Id, newId } from '@cobro/contracts'
import { type TestDatabase, testDatabase } from '@cobro/testing'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { idempotencyTable } from '../src/idempotency.ts'
import { migrate, migration } from '../src/migrate.ts'
import { type Database, openDatabase } from '../src/open-database.ts'
import { messageTables } from '../src/outbox.ts'

export const schema = 'transactions'

const branchTables = migration(
  '0001-branches',
  `
  ${messageTables}
  ${idempotencyTable}
  create table branches (
    id text primary key,
    merchant_id text,
    name text not null,
    phone text,
    hours jsonb,
    tags text[],
    opened_on date,
    "order" integer,
    notes text,
    status text not null default 'active',
    balance_cents bigint not null default 0,
    deleted_at timestamptz(3),
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    constraint branches_name unique (merchant_id, name)
  );
  `,
)

/** A table like those of the services, with all column types that the package supports. */
export const BranchEntity = defineEntity({
  name: 'Branch',
  tableName: 'branches',
  properties: {
    id: p.text().$type<Id<'suc'>>().primary(),
    merchant_id: p.text().$type<Id<'mrc'>>().nullable(),
    name: p.text(),
    phone: p.text().nullable(),
    hours: p.json<{ opens: string; days: number[] }>().nullable(),
    tags: p.array<string>().nullable(),
    opened_on: p.date().nullable(),
    // SQL reserves this name: statements have to quote it.
    order: p.integer().nullable(),
    notes: p.text().lazy().nullable(),
    status: p.text().default('active'),
    balance_cents: p.bigint('number').default(0),
    deleted_at: p.datetime(3).nullable(),
    created_at: p.datetime(3).onCreate(() => new Date()),
    updated_at: p
      .datetime(3)
      .onCreate(() => new Date())
      .onUpdate(() => new Date()),
  },
})

export type BranchRow = InferEntity<typeof BranchEntity>

/** A migrated database for one test file. `open` opens further connections, like other replicas. */
export async function branchDatabase() {
  const database: TestDatabase = await testDatabase({ schemas: [schema] })
  await migrate({ url: database.migratorUrl, schema, migrations: [branchTables] })
  const opened: Database[] = []
  const open = (options: Partial<Parameters<typeof openDatabase>[0]> = {}) => {
    const db = openDatabase({ url: database.url(schema), schema, entities: [BranchEntity], ...options })
    opened.push(db)
    return db
  }
  return {
    database,
    open,
    query: database.query,
    stop: async () => {
      for (const db of opened) await db.close()
      await database.drop()
    },
  }
}

export type BranchDatabase = Awaited<ReturnType<typeof branchDatabase>>

/** A merchant's user. */
export const client = (merchant_id: Id<'mrc'>): Caller => ({
  kind: 'client',
  id: newId('usr'),
  merchant_id,
  merchant_name: 'Café Azul',
  merchant_status: 'active',
})

/** An operator of all or some merchants, who may name one. */
export const operator = (merchants: 'all' | Id<'mrc'>[], stated?: Id<'mrc'>): Caller => ({
  kind: 'operator',
  id: newId('usr'),
  merchants,
  ...(stated ? { merchant_id: stated, merchant_name: 'Café Azul', merchant_status: 'active' as const } : {}),
})
