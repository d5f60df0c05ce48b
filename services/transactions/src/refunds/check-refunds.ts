import type { Database } from '@cobro/database'
import { claimAndProcess, inBackgroundCall, type Logger, type RowOrigin, timings } from '@cobro/runtime'
import type { AcquirerDeps, CheckDeps } from '../acquirer/acquirer-deps.ts'
import { checkClaimSeconds, checkLimits } from '../acquirer/check-schedule.ts'
import type { RefundRow } from './refund-entity.ts'
import type { RefundReport } from './refund-states.ts'
import { resolveRefund } from './resolve-refund.ts'

interface DueRefund extends RowOrigin, Pick<RefundRow, 'id' | 'payment_method' | 'payment_key' | 'currency'> {
  amount_cents: string
  asked_before: boolean
  asked_age_ms: number
}

/**
 * Requests due refunds from the acquirer, once per key, and asks for the outcome of requested ones.
 * Repeats until nothing is due. A refund not found a minute after its request is reversed, which ends its key for good.
 */
export function checkRefunds(deps: CheckDeps, logger: Logger): Promise<void> {
  const { db, stopping } = deps
  const claim = (limit: number) => claimDue(db, limit)
  return claimAndProcess({ name: 'check refunds', claim, ...checkLimits, stopping, logger }, refund =>
    inBackgroundCall('check refund', refund, async () => {
      const report = await requestOrFind(deps, refund)
      await db.write((tx, emit) => resolveRefund({ tx, emit, logger }, refund.id, report))
    }),
  )
}

async function requestOrFind({ acquirer }: AcquirerDeps, refund: DueRefund): Promise<RefundReport> {
  const { id: key, payment_key, currency } = refund
  if (!refund.asked_before) {
    const payment = refund.payment_method === 'cash' ? { voucher_key: payment_key } : { charge_key: payment_key }
    return acquirer.refund({ key, amount_cents: Number(refund.amount_cents), currency, ...payment })
  }
  const found = await acquirer.findRefund(key)
  return found.status === 'not_found' && refund.asked_age_ms > timings.reverse ? acquirer.reverseRefund(key) : found
}

/** Claims due refunds, marks them requested before the call: a check after a crash only asks. */
function claimDue(db: Database, limit: number): Promise<DueRefund[]> {
  return db.execute<DueRefund>(
    `with due as (
       select id, asked_at from transactions.refunds where next_check_at <= now()
       order by next_check_at limit ${limit} for update skip locked)
     update transactions.refunds refund
     set next_check_at = now() + interval '${checkClaimSeconds} seconds', asked_at = coalesce(due.asked_at, now())
     from due where refund.id = due.id
     returning refund.id, payment_method, payment_key, amount_cents, currency, merchant_id, correlation_id, traceparent,
       due.asked_at is not null as asked_before,
       (extract(epoch from now() - refund.asked_at) * 1000)::float8 as asked_age_ms`,
  )
}
