import { userInfo } from 'node:os'
import { parseArgs } from 'node:util'
import { payerEmail, personName } from '@cobro/contracts'
import type { Database, Emit, Tx } from '@cobro/database'
import { type OnStop, otherDatabaseUrl, readConfig, withCallContext } from '@cobro/runtime'
import { z } from 'zod'
import { openSchema } from './open-connections.ts'
import { printResult } from './print-result.ts'

const settings = z.object({ DATABASE_URL: otherDatabaseUrl })

/** Long enough to read an outbox that was not published for hours. */
const statementTimeoutMs = 600_000

/** How many rows a batch erases, all in one database transaction. */
export const erasureBatch = 200

/** How many rows of each kind something was done with. */
export type PayerCounts = Record<string, number>

/** How a service exports and erases what it holds about the payer with a normalized e-mail address. */
export interface PayerData {
  schema: string
  entities: Parameters<typeof openSchema>[1]['entities']
  /** Returns all that is held, by kind, and emits the audit event. */
  find: (tx: Tx, emit: Emit, email: string) => Promise<Record<string, object[]>>
  /**
   * Erases at most a batch of each kind and returns the counts. Emits the audit event of what it has erased, and without an effect
   * only if `always`.
   */
  eraseBatch: (tx: Tx, emit: Emit, batch: { email: string; always: boolean }) => Promise<PayerCounts>
  /** Counts what cannot be erased yet. */
  countWaiting: (db: Database, email: string) => Promise<number>
}

/** What an erasure did in one service. */
export interface ErasureResult {
  erased: PayerCounts
  /** Rows that keep the data until a payment or a delivery has ended. */
  waiting: number
  /** Messages with the data that are not published yet. */
  unpublished: number
}

/** Returns a service's commands `payer-export` and `payer-erase`, each with `<email> [--by <name>]`. */
export function payerCommands(data: PayerData) {
  const { schema, entities } = data
  const command =
    (work: (db: Database, email: string) => Promise<object>) =>
    async (onStop: OnStop): Promise<void> => {
      const { email, by } = readPayer(process.argv.slice(3))
      const db = openSchema(readConfig(settings).DATABASE_URL, { schema, entities, statementTimeoutMs }, onStop)
      printResult(await withCallContext({ actor: { type: 'command', id: by } }, () => work(db, email)))
    }
  return {
    'payer-export': command((db, email) => db.write((tx, emit) => data.find(tx, emit, email))),
    'payer-erase': command((db, email) => erasePayer(db, data, email)),
  }
}

/**
 * Erases what a service holds about a payer, in batches, each a transaction with its audit event. A run that is interrupted
 * loses at most a batch, and the next one continues: what is erased is not found again.
 */
export async function erasePayer(
  db: Database,
  { eraseBatch, countWaiting }: Pick<PayerData, 'eraseBatch' | 'countWaiting'>,
  email: string,
): Promise<ErasureResult> {
  const erased: PayerCounts = {}
  for (let always = true; ; always = false) {
    const counts = await db.write((tx, emit) => eraseBatch(tx, emit, { email, always }))
    for (const [kind, count] of Object.entries(counts)) erased[kind] = (erased[kind] ?? 0) + count
    if (isNothing(counts)) break
  }
  return { erased, waiting: await countWaiting(db, email), unpublished: await countUnpublished(db, email) }
}

/** Returns whether nothing was counted. */
export function isNothing(counts: PayerCounts): boolean {
  return Object.values(counts).every(count => count === 0)
}

/** Counts messages of which a field is the address. A published message is deleted from the outbox, so that this reads few rows. */
async function countUnpublished(db: Database, email: string): Promise<number> {
  const [row] = await db.execute<{ count: number }>(
    `select count(*)::integer as count from ${db.schema}.outbox where position(? in lower(convert_from(body, 'UTF8'))) > 0`,
    [JSON.stringify(email)],
  )
  return row?.count ?? 0
}

function readPayer(args: string[]): { email: string; by: string } {
  const options = { by: { type: 'string' } } as const
  const { positionals, values } = parseArgs({ args, allowPositionals: true, options })
  const { data: email } = payerEmail.safeParse(positionals[0])
  if (!email || positionals.length > 1) throw new Error('Expected one e-mail address.')
  const { data: by } = personName.safeParse(values.by ?? userInfo().username)
  if (!by) throw new Error('--by: expected the name of the person who runs the command, of 1 to 100 characters.')
  return { email, by }
}
