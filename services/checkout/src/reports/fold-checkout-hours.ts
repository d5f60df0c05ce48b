import type { Database } from '@cobro/database'
import { checkoutSums } from './checkout-sums.ts'

/** How many changes one statement adds to the hours, so that each statement stays short. */
const batch = 10_000

/**
 * Adds recorded changes to the kept hours. A reader finds each in exactly one of the two tables.
 * Replicas run it concurrently: each takes changes that no other has taken, and adds them in the same order.
 */
export async function foldCheckoutHours({ execute }: Pick<Database, 'execute'>): Promise<void> {
  for (;;) {
    const [folded] = await execute<{ taken: number }>(foldSql, [batch])
    if ((folded?.taken ?? 0) < batch) return
  }
}

const list = (each: (name: string) => string) => checkoutSums.map(each).join(', ')
const sums = list(name => `sum(${name})`)
const added = list(name => `${name} = kept.${name} + excluded.${name}`)

const foldSql = `
  with taken as (
    delete from checkout.checkout_hour_changes
    where ctid = any (array(select ctid from checkout.checkout_hour_changes limit ? for update skip locked))
    returning *
  ), of_each as (
    insert into checkout.checkout_hours as kept
    select merchant_id, hour, kind, ${sums} from taken
    group by merchant_id, hour, kind order by merchant_id, hour, kind
    on conflict (merchant_id, hour, kind) do update set ${added}
  ), of_all as (
    insert into checkout.checkout_hours_of_all as kept
    select hour, kind, ${sums} from taken group by hour, kind order by hour, kind
    on conflict (hour, kind) do update set ${added}
  )
  select count(*)::integer as taken from taken`
