import { type CommandData, type CommandName, type ReplyData, type ReplyName, replies } from '@cobro/contracts'
import { comparedRows, paidPayables, unfulfilled } from '@cobro/contracts/sql'
import { commandMessage, type Database, type Difference, type ReconciledPeriod } from '@cobro/database'
import type { CommandClient } from '@cobro/messaging'

interface CompareDeps {
  db: Database
  /** A client of its own: a broker that rejects these commands closes the channel, and payments must not share it. */
  openCommands: () => CommandClient
}

/** How many sessions and links a command contains. */
const pageSize = 200
const replyTimeoutMs = 10_000

/**
 * Yields the differences between sessions, links and captured payments of a period. Transactions
 * compares the sessions and links that are paid, and lists the payments that must be named by one.
 * Throws if it does not reply, for example because its release is older.
 */
export async function* paymentDifferences(
  { db, openCommands }: CompareDeps,
  period: ReconciledPeriod,
): AsyncGenerator<Difference[]> {
  const commands = openCommands()
  try {
    for (const payables of paidPayables) yield* unpaidAmong(payables, { db, commands }, period)
    yield* unfulfilledPayments({ db, commands }, period)
  } finally {
    await commands.close()
  }
}

interface Connections {
  db: Database
  commands: CommandClient
}

type PaidPayable = CommandData<'reconciliation.find_unpaid'>['payables'][number] & { changed_at: string }

async function* unpaidAmong(sql: string, { db, commands }: Connections, { from, until }: ReconciledPeriod) {
  let after = { at: from, id: '' }
  for (;;) {
    const rows = await db.execute<{ payable: PaidPayable }>(
      `select to_jsonb(payable) as payable from (${sql}) as payable
       where (changed_at, id) > (?::timestamptz, ?) and changed_at <= ?::timestamptz
       order by changed_at, id limit ${pageSize}`,
      [after.at, after.id, until],
    )
    const payables = rows.map(({ payable }) => payable)
    const last = payables.at(-1)
    if (!last) return
    const { ids } = await ask(commands, 'reconciliation.find_unpaid', { payables }, 'reconciliation.unpaid')
    yield payables
      .filter(({ id }) => ids.includes(id))
      .map(({ id, transaction_id }) => ({ kind: 'unpaid', id, transaction_id }))
    after = { at: last.changed_at, id: last.id }
  }
}

async function* unfulfilledPayments({ db, commands }: Connections, { from, until }: ReconciledPeriod) {
  let after = { at: from, id: '' }
  for (;;) {
    const asked = { after, until }
    const { payments } = await ask(commands, 'reconciliation.list_payments', asked, 'reconciliation.payments')
    const last = payments.at(-1)
    if (!last) return
    yield db.execute<Difference>(`select kind, id, transaction_id from (${unfulfilled(comparedRows)}) as difference`, [
      JSON.stringify(payments),
    ])
    after = { at: last.captured_at, id: last.id }
  }
}

async function ask<N extends CommandName, R extends ReplyName>(
  commands: CommandClient,
  name: N,
  data: CommandData<N>,
  reply: R,
): Promise<ReplyData<R>> {
  const result = await commands.request(commandMessage(name, data), replyTimeoutMs)
  if (result.outcome !== 'reply') throw new Error(`Transactions did not answer ${name}: ${result.outcome}.`)
  return replies[reply].data.parse(result.reply.data) as ReplyData<R>
}
