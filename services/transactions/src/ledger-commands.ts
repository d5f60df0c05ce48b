import { parseArgs } from 'node:util'
import { day, hasCardNumber } from '@cobro/contracts'
import { openDatabase } from '@cobro/database'
import { type Logger, type OnStop, readConfig, reveal, secretText } from '@cobro/runtime'
import { z } from 'zod'
import { newestDay } from './daily-run/daily-schedule.ts'
import { runDay } from './daily-run/run-day.ts'
import { entities } from './entities.ts'
import { checkLedger } from './ledger/check-ledger.ts'
import { noteTransfer } from './refunds/note-transfer.ts'

const settings = z.object({ DATABASE_URL: secretText })

/** Nobody waits for a command: what looks through the whole ledger may take its time. */
const statementMs = 3_600_000

/** `daily [--date YYYY-MM-DD]`: does what is due at the end of a day, of the newest one that is over where none is named. */
export async function runDailyCommand(onStop: OnStop, logger: Logger): Promise<void> {
  const { values } = parseArgs({ args: process.argv.slice(3), options: { date: { type: 'string' } } })
  const { data: date } = day.safeParse(values.date ?? newestDay(new Date()))
  if (!date) throw new Error('--date: expected a day as YYYY-MM-DD.')
  // What is written for a day may be committed minutes after its end, and a snapshot that was noted before would lack it.
  if (date > newestDay(new Date())) throw new Error(`${date} is not over yet, or not for ten minutes.`)
  const { books } = await runDay({ db: openOwn(onStop), logger }, date)
  logger.info({ day: date, books }, 'the daily run is done')
}

/** `ledger-check`: tells on one line whether every figure follows from the entries, and fails where one does not. */
export async function runLedgerCheckCommand(onStop: OnStop): Promise<void> {
  const result = await checkLedger(openOwn(onStop))
  process.stdout.write(`${JSON.stringify(result)}\n`)
  if (!result.ok) throw new Error(`The ledger is not right: ${result.first_fault?.kind} ${result.first_fault?.id}.`)
}

/** The name is kept in the audit log for good, so nothing else may slip in with it. */
const personName = z
  .string()
  .trim()
  .regex(/^[^\p{Cc}]{1,100}$/u)
  .refine(name => !hasCardNumber(name))

/** `refund-transferred rfd_… --by <name>`: writes down who has transferred what the acquirer could not give back. */
export async function runRefundTransferredCommand(onStop: OnStop, logger: Logger): Promise<void> {
  const options = { by: { type: 'string' } } as const
  const { positionals, values } = parseArgs({ args: process.argv.slice(3), allowPositionals: true, options })
  const [id] = positionals
  if (!id || positionals.length > 1) throw new Error('Expected the id of one refund.')
  const { data: by } = personName.safeParse(values.by)
  if (!by) throw new Error('--by: expected the name of who has transferred it, of 1 to 100 characters.')
  await noteTransfer({ db: openOwn(onStop), logger }, { id, by })
}

function openOwn(onStop: OnStop) {
  const { DATABASE_URL: url } = readConfig(settings)
  const db = openDatabase({ url: reveal(url), schema: 'transactions', entities, statementMs })
  onStop(db.close)
  return db
}
