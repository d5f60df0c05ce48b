import { ApiError, type BodyOf, type Caller, type settlements } from '@cobro/contracts'
import { type Database, merchantOf } from '@cobro/database'
import { type LedgerWork, lockMerchantLedger } from '../ledger/merchant-ledgers.ts'
import { inLedgerBatches } from '../maturity/ledger-batches.ts'
import { matureLedger, maturePositions } from '../maturity/mature-positions.ts'
import { delayDaysOf } from '../settlement-config/settlement-delay.ts'
import { addDays, dayOf } from '../time/utc-days.ts'
import { createSettlement } from './create-settlement.ts'
import type { SettlementRow } from './settlement-entity.ts'

type Period = BodyOf<typeof settlements.operations.create>

/** How long a request may spend on maturing transactions. */
const maturingMs = 15_000
/** How many transactions a request may settle. */
const maxTransactions = 200_000

/**
 * Settles a merchant up to the end of a period, without waiting for the daily run.
 * Due transactions mature first, in their own transactions: they are due whether or not the settlement succeeds.
 */
export async function settlePeriod(
  db: Database,
  caller: Caller,
  { currency, reference = null, ...period }: Period,
  limits = { maxTransactions, maturingMs },
): Promise<SettlementRow> {
  const ledger = { merchant_id: merchantOf(caller), currency }
  const day = period.period_end
  if (day > dayOf(new Date()))
    throw new ApiError('invalid_request', 'period_end: expected a day that is not in the future')
  const until = Date.now() + limits.maturingMs
  if (!(await inLedgerBatches(db.writeSeparately, { ledger, day }, maturePositions, () => Date.now() > until)))
    throw new ApiError('unavailable', 'due transactions are still maturing: ask again')
  return db.write(async (tx, emit) => {
    const now = new Date()
    await lockMerchantLedger({ tx, ledger })
    await rejectTooMany({ tx, ledger }, day, limits.maxTransactions)
    await matureLedger({ tx, ledger, day, now })
    const terms = { tx, emit, ledger, ...period, minimum: 0n, reference, now }
    const { settlement, net } = await createSettlement(terms)
    if (!settlement) throw new ApiError('conflict', `there is nothing to pay out: the net is ${net}`)
    return settlement
  })
}

async function rejectTooMany({ tx, ledger }: LedgerWork, day: string, limit: number): Promise<void> {
  const [row] = await tx.execute<{ due: number }[]>(
    `select count(*)::integer as due from (
       select 1 from transactions.ledger_positions
       where merchant_id = ? and currency = ? and unsettled and captured_on <= ? limit ?) as bounded`,
    [ledger.merchant_id, ledger.currency, addDays(day, -(await delayDaysOf(tx, ledger))), limit + 1],
  )
  if ((row?.due ?? 0) <= limit) return
  throw new ApiError(
    'conflict',
    `more than ${limit} transactions are due: settle up to an earlier day, or leave it to the daily run`,
  )
}
