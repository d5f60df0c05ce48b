import { inNewTrace, type Logger, runConcurrently, withCallContext } from '@cobro/runtime'
import type { AcquirerDeps, CheckDeps } from '../acquirer/acquirer-deps.ts'
import { reverseAfterMs } from '../acquirer/check-schedule.ts'
import type { RefundRow } from './refund-entity.ts'
import type { RefundReport } from './refund-states.ts'
import { resolveRefund } from './resolve-refund.ts'

interface DueRefund extends Pick<RefundRow, 'id' | 'payment_method' | 'payment_key' | 'currency' | keyof RefundOrigin> {
  amount_cents: string
  asked_before: boolean
  asked_age_ms: number
}

/** The merchant, payment and trace that a refund belongs to. */
type RefundOrigin = Pick<RefundRow, 'merchant_id' | 'correlation_id' | 'traceparent'>

const batch = 50
/** Fewer than the connections to the acquirer, so that live payments still get one. */
const concurrency = 20
/** How long a replica keeps the refunds that it claimed: longer than the timeout of a call to the acquirer. */
const claimSeconds = 90

/**
 * Requests due refunds from the acquirer, each once under its key, and asks for the outcome of those already requested. Replicas
 * run it concurrently. A refund that the acquirer still doesn't find a minute after the request is reversed, which ends its key for
 * good. Repeats until nothing is due.
 */
export async function checkRefunds(deps: CheckDeps, logger: Logger): Promise<void> {
  while (!deps.stopping?.aborted) {
    const due = await claimDue(deps)
    await runConcurrently(
      due,
      { concurrency, name: 'check refunds', logger },
      ({ merchant_id, correlation_id, traceparent, ...refund }) =>
        inNewTrace('check refund', { links: [{ traceparent }] }, () =>
          withCallContext({ merchant_id, correlation_id }, async () => {
            const report = await requestOrFind(deps, refund)
            await deps.db.write((tx, emit) => resolveRefund({ tx, emit, logger }, refund.id, report))
          }),
        ),
    )
    if (due.length < batch) return
  }
}

async function requestOrFind(
  { acquirer }: AcquirerDeps,
  refund: Omit<DueRefund, keyof RefundOrigin>,
): Promise<RefundReport> {
  const { id: key, payment_key, currency } = refund
  if (!refund.asked_before) {
    const payment = refund.payment_method === 'cash' ? { voucher_key: payment_key } : { charge_key: payment_key }
    return acquirer.refund({ key, amount_cents: Number(refund.amount_cents), currency, ...payment })
  }
  const found = await acquirer.findRefund(key)
  return found.status === 'not_found' && refund.asked_age_ms > reverseAfterMs ? acquirer.reverseRefund(key) : found
}

/** Claims due refunds and marks them as requested before the call, so that after a crash the next check asks for the outcome. */
function claimDue({ db }: AcquirerDeps): Promise<DueRefund[]> {
  return db.execute<DueRefund>(
    `with due as (
       select id, asked_at from ${db.schema}.refunds where next_check_at <= now()
       order by next_check_at limit ${batch} for update skip locked)
     update ${db.schema}.refunds refund
     set next_check_at = now() + interval '${claimSeconds} seconds', asked_at = coalesce(due.asked_at, now())
     from due where refund.id = due.id
     returning refund.id, payment_method, payment_key, amount_cents, currency, merchant_id, correlation_id, traceparent,
       due.asked_at is not null as asked_before,
       (extract(epoch from now() - refund.asked_at) * 1000)::float8 as asked_age_ms`,
  )
}
