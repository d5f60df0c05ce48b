import { migrationInSteps } from '@cobro/database'

const names = ['created', 'viewed', 'attempted', 'completed', 'expired', 'cancelled']
const list = (each: (name: string) => string) => names.map(each).join(', ')

const fill = (table: string, totals: string, key: string) => `do $$
  begin
    insert into ${table} as kept
      select ${key}, ${list(name => `sum(${name}) as ${name}`)} from (
        select ${key}, ${list(name => name)} from checkout_hours_recounted
        union all select ${key}, ${list(name => `-${name}`)} from ${totals}
      ) as sides
      group by ${key} having (${list(name => `sum(${name})`)}) <> (${list(() => '0')}) order by ${key}
      on conflict (${key}) do update set ${list(name => `${name} = kept.${name} + excluded.${name}`)};
  end
  $$`

/**
 * Adds to the kept hours what they lack of the sessions and links that exist. A statement reads the rows and the totals as of
 * one moment, and what is committed later is recorded by the triggers: so nothing is locked, and it may be repeated.
 */
export const filledCheckoutHours = migrationInSteps('0015-filled-checkout-hours', [
  fill('checkout_hours', 'checkout_hour_totals', 'merchant_id, hour, kind'),
  fill('checkout_hours_of_all', 'checkout_hour_totals_of_all', 'hour, kind'),
])
