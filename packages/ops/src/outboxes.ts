import { Client, escapeIdentifier } from 'pg'
import { commandFault } from './command-fault.ts'
import { localStack } from './local-stack.ts'
import { readArguments } from './read-arguments.ts'
import { table } from './table.ts'

/** Every schema that has an outbox, also where whoever asks may not look into it: that is for the next statement to say. */
const withOutbox = `select schemaname as schema from pg_catalog.pg_tables where tablename = 'outbox' order by schemaname`

/** `outbox`: what waits in the outbox of each schema, by what it is. */
export function showOutboxes(args: string[]) {
  readArguments(args, {})
  return lookIntoOutboxes
}

async function lookIntoOutboxes(): Promise<number> {
  const client = new Client({
    connectionString: process.env.POSTGRES_URL || (await localStack()).postgres_url,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 30_000,
  })
  await client.connect()
  try {
    const rows: string[][] = []
    const schemas = (await client.query<{ schema: string }>(withOutbox)).rows
    if (schemas.length === 0) throw commandFault('There is no outbox in this database: is it the right one?')
    for (const { schema } of schemas) rows.push(...(await waitingIn(client, schema)))
    process.stdout.write(
      rows.length === 0
        ? `Nothing waits in the outbox of ${schemas.map(({ schema }) => schema).join(', ')}.\n`
        : table(['schema', 'message', 'waiting', 'oldest for'], rows),
    )
    return 0
  } finally {
    await client.end()
  }
}

async function waitingIn(client: Client, schema: string): Promise<string[][]> {
  const { rows } = await client.query<{ name: string; waiting: string; seconds: number }>(
    `select name, count(*) as waiting, round(extract(epoch from now() - min(created_at)))::integer as seconds
     from ${escapeIdentifier(schema)}.outbox group by name order by min(id)`,
  )
  return rows.map(({ name, waiting, seconds }) => [schema, name, waiting, `${seconds} s`])
}
