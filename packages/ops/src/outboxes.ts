import { type Client, escapeIdentifier } from 'pg'
import { CommandError } from './command-error.ts'
import { withOperatorDatabase } from './operator-database.ts'
import { readArguments } from './read-arguments.ts'
import { table } from './table.ts'

/** Lists schemas with an outbox. If this login may not read one of them, the next query fails. */
const schemasWithOutbox = `select schemaname as schema from pg_catalog.pg_tables where tablename = 'outbox' order by schemaname`

/** `outbox`: prints the number and age of unpublished messages by schema and message name. */
export function showOutboxes(args: string[]) {
  readArguments(args, {})
  return printOutboxes
}

function printOutboxes(): Promise<number> {
  return withOperatorDatabase(async client => {
    const rows: string[][] = []
    const schemas = (await client.query<{ schema: string }>(schemasWithOutbox)).rows
    if (schemas.length === 0) throw new CommandError('This database has no outbox: is it the right one?')
    for (const { schema } of schemas) rows.push(...(await pendingMessages(client, schema)))
    process.stdout.write(
      rows.length === 0
        ? `The outboxes of ${schemas.map(({ schema }) => schema).join(', ')} are empty.\n`
        : table(['schema', 'message', 'waiting', 'oldest for'], rows),
    )
    return 0
  })
}

async function pendingMessages(client: Client, schema: string): Promise<string[][]> {
  const { rows } = await client.query<{ name: string; waiting: string; seconds: number }>(
    `select name, count(*) as waiting, round(extract(epoch from now() - min(created_at)))::integer as seconds
     from ${escapeIdentifier(schema)}.outbox group by name order by min(id)`,
  )
  return rows.map(({ name, waiting, seconds }) => [schema, name, waiting, `${seconds} s`])
}
