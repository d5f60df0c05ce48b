import { parseArgs } from 'node:util'
import { day, personName } from '@cobro/contracts'
import { type Logger, type OnStop, otherDatabaseUrl, readConfig } from '@cobro/runtime'
import { openSchema, printResult } from '@cobro/service'
import { z } from 'zod'
import { newestDay } from './daily-run/daily-schedule.ts'
import { runDay } from './daily-run/run-day.ts'
import { entities } from './entities.ts'
import { checkLedger } from './ledger-check/check-ledger.ts'
import { recordTransfer } from './refunds/record-transfer.ts'

const settings = z.object({ DATABASE_URL: otherDatabaseUrl })

/** One hour: a command may scan the whole ledger. */
const statementTimeoutMs = 3_600_000

/** Runs `daily [--date YYYY-MM-DD]`: the end-of-day work, by default of the newest finished day. */
export async function runDailyCommand(onStop: OnStop, logger: Logger): Promise<void> {
  const { values } = parseArgs({ args: process.argv.slice(3), options: { date: { type: 'string' } } })
  const { data: date } = day.safeParse(values.date ?? newestDay(new Date()))
  if (!date) throw new Error('--date: expected a day as YYYY-MM-DD.')
  // Writes of a day may commit minutes after its end, and a snapshot taken earlier would lack them.
  if (date > newestDay(new Date())) throw new Error(`${date} is not over yet, or ended less than ten minutes ago.`)
  const { ledgers } = await runDay({ db: openCommandDatabase(onStop), logger }, date)
  logger.info({ day: date, ledgers }, 'the daily run is done')
}

/** Runs `ledger-check`: prints the result on one line, and throws on a discrepancy. */
export async function runLedgerCheckCommand(onStop: OnStop): Promise<void> {
  const result = await checkLedger(openCommandDatabase(onStop))
  printResult(result)
  if (!result.ok)
    throw new Error(`The ledger has a discrepancy: ${result.first_fault?.kind} ${result.first_fault?.id}.`)
}

/** `refund-transferred rfd_… --by <name>`: records who has transferred a manual refund. */
export async function runRefundTransferredCommand(onStop: OnStop, logger: Logger): Promise<void> {
  const options = { by: { type: 'string' } } as const
  const { positionals, values } = parseArgs({ args: process.argv.slice(3), allowPositionals: true, options })
  const [id] = positionals
  if (!id || positionals.length > 1) throw new Error('Expected the id of one refund.')
  const { data: by } = personName.safeParse(values.by)
  if (!by) throw new Error('--by: expected the name of the person who transferred it, of 1 to 100 characters.')
  await recordTransfer({ db: openCommandDatabase(onStop), logger }, { id, by })
}

function openCommandDatabase(onStop: OnStop) {
  return openSchema(readConfig(settings).DATABASE_URL, { schema: 'transactions', entities, statementTimeoutMs }, onStop)
}
