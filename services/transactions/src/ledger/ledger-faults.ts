import { disputeStatuses } from '@cobro/contracts'
import { isComplete } from '../balance-snapshots/correct-snapshots.ts'
import { stageOf } from '../disputes/dispute-states.ts'
import { entryFaults } from './entry-faults.ts'

/** What stands on an account by some entries, of a table that is called `entry`: credits less debits. */
export function balanceSql(account: string, event?: string): string {
  const filter = event ? ` filter (where entry.event = '${event}')` : ''
  return `coalesce(sum(case '${account}' when entry.credit then entry.amount_cents
    when entry.debit then -entry.amount_cents else 0 end)${filter}, 0)`
}

const statusesOf = (stage: string) =>
  disputeStatuses
    .filter(status => stageOf[status] === stage)
    .map(status => `'${status}'`)
    .join(', ')

/** A question to the tables that finds a row which does not fit: its id, what was expected, and what was found. */
export interface FaultFinder {
  kind: string
  /** `mine` is the condition that says which merchants' rows are looked at. It follows upon a table's name, as often as asked. */
  sql: (schema: string, mine: string) => string
}

/** Compares what rows say is held on an account of its own, or gone for good, with what is booked of them. */
const heldAndGone =
  (table: string, amount: string, account: string, [held, gone]: [string, string]) =>
  (schema: string, mine: string) =>
    `
    select id, said::text as expected, booked::text as found from (
      select row.id, array[
          case when row.deleted_at is null and row.status in (${held}) then row.${amount} else 0 end,
          case when row.deleted_at is null and row.status in (${gone}) then row.${amount} else 0 end]::numeric[] as said,
        array[${balanceSql(account)}, ${balanceSql('receivable_acquirer')}]::numeric[] as booked
      from ${schema}.${table} row left join ${schema}.ledger_entries entry on source_id = row.id
      where row.${mine} group by row.id) as compared
    where said <> booked`

/**
 * What has to follow from the entries. Debits equal credits by the shape of an entry, which names both sides of one amount; the
 * table refuses any other.
 */
export const faultFinders: readonly FaultFinder[] = [
  ...entryFaults,
  {
    // What each transaction has on the accounts is what its entries left there.
    kind: 'position',
    sql: (schema, mine) => `
      select transaction_id as id, kept::text as expected, summed::text as found from (
        select position.transaction_id,
          array[position.pending_cents, position.available_cents, position.reserve_cents, position.disputed_cents]::numeric[] as kept,
          array[${['pending', 'available', 'reserve', 'disputed'].map(name => balanceSql(`merchant_${name}`)).join(', ')}]::numeric[]
            as summed
        from ${schema}.ledger_positions position left join ${schema}.ledger_entries entry using (transaction_id)
        where position.${mine} group by position.transaction_id) as compared
      where kept <> summed`,
  },
  {
    // What was captured, its fee and what was given back are booked as the transaction says, once.
    kind: 'transaction',
    sql: (schema, mine) => `
      select id, said::text as expected, booked::text as found from (
        select row.id, array[
            case when row.captured_at is null then 0 else row.amount_cents end,
            case when row.captured_at is null then 0 else row.fee_cents end,
            case when row.refunded_at is null then 0 else row.amount_cents end]::numeric[] as said,
          array[-${balanceSql('receivable_acquirer', 'capture')}, ${balanceSql('fee_revenue', 'capture')},
            ${balanceSql('receivable_acquirer', 'refund')}]::numeric[] as booked
        from ${schema}.transactions row left join ${schema}.ledger_entries entry on transaction_id = row.id
        where row.${mine} group by row.id) as compared
      where said <> booked`,
  },
  {
    // What is held back is never below zero at the end of a day: no hold is released before it is held.
    kind: 'hold',
    sql: (schema, mine) => `
      select transaction_id as id, 'at least 0 on ' || day as expected, held::text as found from (
        select transaction_id, day, sum(moved) over (partition by transaction_id order by day) as held from (
          select transaction_id, day, ${balanceSql('merchant_reserve')} as moved from ${schema}.ledger_entries entry
          where ${mine} and 'merchant_reserve' in (debit, credit) group by transaction_id, day) as daily) as running
      where held < 0`,
  },
  {
    // One that was deleted has nothing on any account, and was paid out to nobody.
    kind: 'deletion',
    sql: (schema, mine) => `
      select id, '{0,0,0,0}' as expected, case when settled then 'settled' else left_there::text end as found from (
        select row.id, array[pending_cents, available_cents, reserve_cents, disputed_cents] as left_there, exists (
          select 1 from ${schema}.ledger_entries entry join ${schema}.settlement_entries on entry_id = entry.id
          where entry.transaction_id = row.id) as settled
        from ${schema}.transactions row join ${schema}.ledger_positions position on transaction_id = row.id
        where row.${mine} and row.deleted_at is not null) as deleted
      where settled or left_there <> '{0,0,0,0}'`,
  },
  {
    // What was captured is approved, until it was given back or is disputed; given back, it stays what it was while disputed.
    kind: 'status',
    sql: (schema, mine) => `
      select id, array_to_string(fitting, ' or ') as expected, status as found from (
        select row.id, row.status, case
          when captured_at is null then array['pending', 'declined', 'failed', 'expired', 'cancelled']
          when refunded_at is not null and disputed.transaction_id is not null then array['refunded', 'chargeback']
          when refunded_at is not null then array['refunded']
          when disputed.transaction_id is not null then array['chargeback']
          else array['approved'] end as fitting
        from ${schema}.transactions row left join (
          select distinct transaction_id from ${schema}.disputes
          where deleted_at is null and status not in (${statusesOf('back')})) as disputed on disputed.transaction_id = row.id
        where row.${mine}) as compared
      where status <> all (fitting)`,
  },
  {
    // A dispute's amount is set aside while it runs, and gone once it was lost.
    kind: 'dispute',
    sql: heldAndGone('disputes', 'amount_cents', 'merchant_disputed', [statusesOf('held'), statusesOf('gone')]),
  },
  {
    // What is on its way to the merchant are the settlements that are neither paid nor undone.
    kind: 'payout',
    sql: heldAndGone('settlements', 'net_cents', 'payouts', [`'pending'`, `'paid'`]),
  },
  {
    // A settlement says how many captures it collects.
    kind: 'settlement',
    sql: (schema, mine) => `
      select id, counted::text as expected, transaction_count::text as found from (
        select settlement.id, transaction_count, count(distinct transaction_id) filter (where event = 'capture') as counted
        from ${schema}.settlements settlement left join ${schema}.settlement_entries on settlement_id = settlement.id
          left join ${schema}.ledger_entries entry on entry.id = entry_id
        where settlement.${mine} and deleted_at is null and status <> 'failed' group by settlement.id) as compared
      where counted <> transaction_count`,
  },
  {
    // A daily snapshot is what the entries up to the end of its day come to.
    kind: 'balance_snapshot',
    sql: (schema, mine) => `
      select id, running::text as expected, noted::text as found from (
        select id, noted, array[sum(available) over up_to, sum(pending) over up_to, sum(reserved) over up_to,
          sum(disputed) over up_to]::numeric[] as running
        from (
          select null as id, null::numeric[] as noted, merchant_id, currency, day, ${balanceSql('merchant_available')} as available,
            ${balanceSql('merchant_pending')} as pending, ${balanceSql('merchant_reserve')} as reserved,
            ${balanceSql('merchant_disputed')} as disputed
          from ${schema}.ledger_entries entry where ${mine} group by merchant_id, currency, day
          union all
          select id, array[available_cents, pending_cents, reserved_cents, disputed_cents]::numeric[], merchant_id, currency, day,
            0, 0, 0, 0
          from ${schema}.balance_snapshots where ${mine} and ${isComplete}) as days
        window up_to as (partition by merchant_id, currency order by day)) as compared
      where noted <> running`,
  },
  {
    // Only entries of live settlements are taken.
    kind: 'settlement_entry',
    sql: (schema, mine) => `
      select entry_id as id, 'free' as expected, settlement_id as found
      from ${schema}.settlement_entries left join ${schema}.settlements settlement on settlement.id = settlement_id
      where settlement.${mine} and (settlement.deleted_at is not null or settlement.status = 'failed')`,
  },
  {
    // A transaction with entries that no settlement has is known to have some.
    kind: 'unsettled',
    sql: (schema, mine) => `
      select transaction_id as id, 'true' as expected, 'false' as found
      from ${schema}.ledger_positions position join ${schema}.ledger_entries entry using (transaction_id)
      where position.${mine} and not position.unsettled
        and not exists (select 1 from ${schema}.settlement_entries where entry_id = entry.id)
        and exists (select 1 from ${schema}.transactions where id = transaction_id and deleted_at is null)`,
  },
  {
    // The kept counts are what counting comes to.
    kind: 'count',
    sql: (schema, mine) => `
      select merchant_id as id, sum(counted)::text as expected, sum(kept)::text as found from (
        select merchant_id, status, payment_method, rail, currency, 1 as counted, 0 as kept
        from ${schema}.transactions where deleted_at is null
        union all
        select merchant_id, status, payment_method, rail, currency, 0, count from ${schema}.transaction_totals) as both_ways
      where ${mine} group by merchant_id, status, payment_method, rail, currency having sum(counted) <> sum(kept)`,
  },
  {
    // Those of all merchants together are the sums of each one's. Nobody's own check looks at them.
    kind: 'count_of_all',
    sql: (schema, mine) => `
      select concat_ws(' ', status, payment_method, rail, currency) as id, sum(counted)::text as expected, sum(kept)::text as found
      from (
        select 'all' as merchant_id, status, payment_method, rail, currency, count as counted, 0 as kept
        from ${schema}.transaction_totals
        union all
        select 'all', status, payment_method, rail, currency, 0, count from ${schema}.transaction_totals_of_all) as both_ways
      where ${mine} group by status, payment_method, rail, currency having sum(counted) <> sum(kept)`,
  },
]
