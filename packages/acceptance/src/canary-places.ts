import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { busNames, type QueueName, queues } from '@cobro/contracts/broker'
import { connect } from 'amqplib'
import type { AcceptanceStack } from './acceptance-stack.ts'

/** Dumps every row of every table of every schema as text, and bytes as the text they contain. */
export async function dumpTables({ query }: AcceptanceStack): Promise<Record<string, string>> {
  const tables = await query(
    `select table_schema as schema, table_name as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  )
  const asText = (_key: string, value: { type?: string; data?: number[] } | null) =>
    value?.type === 'Buffer' && value.data ? Buffer.from(value.data).toString('utf8') : value
  const dumps: Record<string, string> = {}
  for (const { schema, name } of tables) {
    dumps[`${schema}.${name}`] = JSON.stringify(await query(`select * from ${schema}.${name}`), asText)
  }
  return dumps
}

/** Reads every file in a folder, by path. */
export async function readFiles(folder: string, wanted: (name: string) => boolean): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries
    .filter(entry => entry.isFile() && wanted(entry.name))
    .map(entry => join(entry.parentPath, entry.name))
  return Object.fromEntries(
    await Promise.all(files.map(async file => [file, (await readFile(file)).toString('latin1')])),
  )
}

/** Reads the mails of a sandbox, by path, without the single-use links, which are all that a mail may have of secrets. */
export async function readMails(folder: string): Promise<Record<string, string>> {
  const mails = Object.entries(await readFiles(folder, name => name.endsWith('.eml')))
  const withoutLinks = (text: string) =>
    text
      .replaceAll('=3D', '=')
      .replaceAll('=\n', '')
      .replaceAll(/\/account\/password#token=vst_[\w-]{43}/g, '/account/password')
  return Object.fromEntries(mails.map(([file, text]) => [file, withoutLinks(text)]))
}

/** Subscribes to every command, including the charge with its token. */
export async function tapCommands({ bus }: AcceptanceStack) {
  const model = await connect(bus.url)
  const channel = await model.createChannel()
  const { queue } = await channel.assertQueue('', { exclusive: true })
  await channel.bindQueue(queue, busNames(bus.namespace).exchange('commands'), '#')
  const messages: unknown[] = []
  await channel.consume(
    queue,
    raw => void (raw && messages.push({ headers: raw.properties.headers, content: raw.content.toString('utf8') })),
    { noAck: true },
  )
  return { messages, close: () => model.close() }
}

/** Reads the dead-letter and retry queues. */
export async function readDeadLetters({ bus }: AcceptanceStack): Promise<string> {
  const model = await connect(bus.url)
  const channel = await model.createChannel()
  const found: string[] = []
  const names = busNames(bus.namespace)
  for (const queue of Object.keys(queues) as QueueName[]) {
    for (const name of [names.deadLetter(queue), names.retry(queue)]) {
      const raw = await channel.get(name)
      if (raw) found.push(raw.content.toString('utf8'))
    }
  }
  await model.close()
  return found.join('\n')
}

/** Scrapes each service's metrics. */
export async function readMetrics({ stack }: AcceptanceStack): Promise<Record<string, string>> {
  const metrics = Object.values(stack.services).map(
    async ({ metrics_url }) => [metrics_url, await (await fetch(metrics_url)).text()] as const,
  )
  return Object.fromEntries(await Promise.all(metrics))
}
