import { inCall, inNewTrace, type Logger, runConcurrently } from '@cobro/runtime'
import type { ChargeDeps } from '../transactions/charge-payment.ts'
import type { CheckDeps } from '../transactions/check-pending.ts'
import { reverseAfterMs } from '../transactions/check-schedule.ts'
import type { RefundRow } from './refund-entity.ts'
import { type RefundNews, settleRefund } from './settle-refund.ts'

interface DueRefund extends Pick<RefundRow, 'id' | 'payment_method' | 'payment_key' | 'currency' | keyof Origin> {
  amount_cents: string
  asked_before: boolean
  asked_age_ms: number
}

/** What a refund is part of. */
type Origin = Pick<RefundRow, 'merchant_id' | 'correlation_id' | 'traceparent'>

const batch = 50
/** Fewer than the connections to the acquirer: payers wait for theirs. */
const concurrency = 20
/** How long a replica has for the refunds it took before another may take them: longer than the acquirer is waited for. */
const claimSeconds = 90

/**
 * Asks for the refunds whose time has come, each once under its key, and afterwards what they came to. Any number of replicas
 * may do it. One that the acquirer has not found a minute after it was asked for is reversed, which ends its key for good. Goes on until
 * nothing is due.
 */
export async function checkRefunds(deps: CheckDeps, logger: Logger): Promise<void> {
  while (!deps.stopping?.aborted) {
    const due = await claimDue(deps)
    await runConcurrently(
      due,
      { concurrency, name: 'check refunds', logger },
      ({ merchant_id, correlation_id, traceparent, ...refund }) =>
        inNewTrace('check refund', { links: [{ traceparent }] }, () =>
          inCall({ merchant_id, correlation_id }, async () => {
            const news = await ask(deps, refund)
            await deps.db.write((tx, emit) => settleRefund({ tx, emit, logger }, refund.id, news))
          }),
        ),
    )
    if (due.length < batch) return
  }
}

async function ask({ acquirer }: ChargeDeps, refund: Omit<DueRefund, keyof Origin>): Promise<RefundNews> {
  const { id: key, payment_key, currency } = refund
  if (!refund.asked_before) {
    const payment = refund.payment_method === 'cash' ? { voucher_key: payment_key } : { charge_key: payment_key }
    return acquirer.refund({ key, amount_cents: Number(refund.amount_cents), currency, ...payment })
  }
  const found = await acquirer.findRefund(key)
  return found.status === 'not_found' && refund.asked_age_ms > reverseAfterMs ? acquirer.reverseRefund(key) : found
}

/** That it is asked for is written before it is: whoever finds it so after a crash asks what came of it. */
function claimDue({ db }: ChargeDeps): Promise<DueRefund[]> {
  return db.read(em =>
    em.execute<DueRefund[]>(
      `with due as (
         select id, asked_at from ${db.schema}.refunds where next_check_at <= now()
         order by next_check_at limit ${batch} for update skip locked)
       update ${db.schema}.refunds refund
       set next_check_at = now() + interval '${claimSeconds} seconds', asked_at = coalesce(due.asked_at, now())
       from due where refund.id = due.id
       returning refund.id, payment_method, payment_key, amount_cents, currency, merchant_id, correlation_id, traceparent,
         due.asked_at is not null as asked_before,
         (extract(epoch from now() - refund.asked_at) * 1000)::float8 as asked_age_ms`,
    ),
  )
}
