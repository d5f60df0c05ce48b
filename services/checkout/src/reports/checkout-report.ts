import type { Caller, QueryOf, ResponseOf, reportOperations } from '@cobro/contracts'
import { type Database, type HourlySource, reportSums, scopeOf } from '@cobro/database'
import { checkoutSums } from './checkout-sums.ts'

type Operation = (typeof reportOperations)['checkout']
type Kind = QueryOf<Operation>['kind']

/** Sums what became of the sessions and links that were created in a period and that the caller may see. */
export async function checkoutReport(
  db: Pick<Database, 'read'>,
  caller: Caller,
  { kind, ...range }: QueryOf<Operation>,
): Promise<ResponseOf<Operation>['data']> {
  const as_of = new Date()
  const sums = await db.read(em => reportSums(em, range, as_of, sourceOf(caller, kind)))
  return { ...range, as_of, ...sums }
}

/** Returns the hours of the caller's merchants. Those of all merchants are kept as well: they are as few as those of one. */
function sourceOf(caller: Caller, kind: Kind): HourlySource<(typeof checkoutSums)[number]> {
  const { merchant_id } = scopeOf(caller)
  const merchants = typeof merchant_id === 'object' ? merchant_id.$in : merchant_id && [merchant_id]
  const conditions = [merchants && 'merchant_id = any(?::text[])', kind && 'kind = ?'].filter(Boolean)
  return {
    from: `checkout.checkout_hour_totals${merchants ? '' : '_of_all'}`,
    columns: checkoutSums,
    where: conditions.join(' and ') || 'true',
    params: [merchants && `{${merchants.join()}}`, kind].filter(Boolean),
  }
}
