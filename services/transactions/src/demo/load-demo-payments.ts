import type { DemoHistory, DemoProgress } from '@cobro/contracts/demo'
import type { Database, Tx } from '@cobro/database'
import { newestDay } from '../daily-run/daily-schedule.ts'
import { lockMerchantLedger } from '../ledger/merchant-ledgers.ts'
import { dayOf } from '../time/utc-days.ts'
import { closeDemoDay, isClosed } from './close-demo-day.ts'
import { type DemoDay, demoDays } from './demo-days.ts'
import { loadAttempts } from './load-attempts.ts'
import { loadOpenedDispute, loadResolvedDispute } from './load-dispute.ts'
import { loadRefund } from './load-refund.ts'
import { loadTerms } from './load-terms.ts'

/**
 * Loads the payments of a demo merchant with their ledger, day by day, each day in one transaction. What is stored is left as it
 * is, so that an interrupted load continues and a repeated one changes nothing. No event is published.
 */
export async function loadDemoPayments(
  db: Database,
  history: DemoHistory,
  report: (progress: DemoProgress) => void,
): Promise<void> {
  const newest = newestDay(new Date())
  // After an interruption, the daily run may have closed days that still lacked payments.
  const days = demoDays(history, [dayOf(history.until), newest].toSorted().at(-1) ?? newest)
  const ledger = { merchant_id: history.merchant.id, currency: history.currency }
  await db.write(tx => loadTerms(tx, history))
  let changed = false
  for (const [index, day] of days.entries()) {
    changed = await db.write(async tx => {
      await lockMerchantLedger({ tx, ledger })
      const loaded = (await loadDay(tx, history, day)) || changed
      if (day.day <= newest && (loaded || !(await isClosed(tx, { ledger, day: day.day }))))
        await closeDemoDay({ tx, ledger, day: day.day }, history.terms.payouts)
      return loaded
    })
    report({ loaded: index + 1, total: days.length })
  }
}

/** Returns whether anything of the day was missing. */
async function loadDay(tx: Tx, { merchant }: DemoHistory, day: DemoDay): Promise<boolean> {
  const missing = [(await loadAttempts(tx, merchant, day.attempts)) > 0]
  for (const order of day.refunds) missing.push(await loadRefund(tx, order))
  for (const order of day.opened) missing.push(await loadOpenedDispute(tx, order))
  for (const order of day.resolved) missing.push(await loadResolvedDispute(tx, order))
  return missing.includes(true)
}
