import { disputeStatuses } from '@cobro/contracts'
import { balanceSql, transactionPostings } from '@cobro/contracts/sql'
import { isComplete } from '../balance-snapshots/correct-snapshots.ts'
import { stageOf } from '../disputes/dispute-states.ts'
import { payoutStageOf, settlementStates } from '../settlements/settlement-states.ts'
import { type DiscrepancyQuery, entryDiscrepancies } from './entry-discrepancies.ts'
import { reportDiscrepancies } from './report-discrepancies.ts'

const listSql = (texts: readonly string[]) => texts.map(text => `'${text}'`).join(', ')
const disputesIn = (stage: string) => listSql(disputeStatuses.filter(status => stageOf[status] === stage))
const settlementsIn = (stage: string) => listSql(settlementStates.filter(state => payoutStageOf[state] === stage))

/** Compares the amounts that rows hold, or have passed to the acquirer, with their entries. */
const heldAndPaid =
  (table: string, amount: string, account: string, [held, paid]: [string, string]) =>
  (scope: string) =>
    `
    select id, stored::text as expected, posted::text as found from (
      select row.id, array[
          case when row.deleted_at is null and row.status in (${held}) then row.${amount} else 0 end,
          case when row.deleted_at is null and row.status in (${paid}) then row.${amount} else 0 end]::numeric[] as stored,
        array[${balanceSql(account)}, ${balanceSql('receivable_acquirer')}]::numeric[] as posted
      from transactions.${table} row left join transactions.ledger_entries entry on source_id = row.id
      where row.${scope} group by row.id) as compared
    where stored <> posted`

/** What must match the entries, by the kind of row. */
const queriesByKind: Record<string, DiscrepancyQuery['sql']> = {
  // The balances of a position are the sums of its entries.
  position: scope => `
      select transaction_id as id, stored::text as expected, summed::text as found from (
        select position.transaction_id,
          array[position.pending_cents, position.available_cents, position.reserve_cents, position.disputed_cents]::numeric[] as stored,
          array[${['pending', 'available', 'reserve', 'disputed'].map(name => balanceSql(`merchant_${name}`)).join(', ')}]::numeric[]
            as summed
        from transactions.ledger_positions position left join transactions.ledger_entries entry using (transaction_id)
        where position.${scope} group by position.transaction_id) as compared
      where stored <> summed`,
  // The captured amount, the fee and the refund of a transaction are posted exactly once.
  transaction: scope => `
      select id, stored::text as expected, posted::text as found from (${transactionPostings(`row.${scope}`)}) as compared
      where stored <> posted`,
  // The held amount is never negative at the end of a day: no hold is released before it exists.
  hold: scope => `
      select transaction_id as id, 'at least 0 on ' || day as expected, held::text as found from (
        select transaction_id, day, sum(change) over (partition by transaction_id order by day) as held from (
          select transaction_id, day, ${balanceSql('merchant_reserve')} as change from transactions.ledger_entries entry
          where ${scope} and 'merchant_reserve' in (debit, credit) group by transaction_id, day) as daily) as running
      where held < 0`,
  // A deleted transaction has no balance on any account and was never settled.
  deletion: scope => `
      select id, '{0,0,0,0}' as expected, case when settled then 'settled' else remaining::text end as found from (
        select row.id, array[pending_cents, available_cents, reserve_cents, disputed_cents] as remaining, exists (
          select 1 from transactions.ledger_entries entry join transactions.settlement_entries on entry_id = entry.id
          where entry.transaction_id = row.id) as settled
        from transactions.transactions row join transactions.ledger_positions position on transaction_id = row.id
        where row.${scope} and row.deleted_at is not null) as deleted
      where settled or remaining <> '{0,0,0,0}'`,
  // A captured transaction is approved, refunded or charged back, as its refund and disputes say.
  status: scope => `
      select id, array_to_string(allowed, ' or ') as expected, status as found from (
        select row.id, row.status, case
          when captured_at is null then array['pending', 'declined', 'failed', 'expired', 'cancelled']
          when refunded_at is not null and disputed then array['refunded', 'chargeback']
          when refunded_at is not null then array['refunded']
          when disputed then array['chargeback']
          else array['approved'] end as allowed
        from transactions.transactions row cross join lateral (
          select exists (select 1 from transactions.disputes where transaction_id = row.id and deleted_at is null
            and status not in (${disputesIn('returned')})) as disputed) as of_row
        where row.${scope}) as compared
      where status <> all (allowed)`,
  // A dispute's amount is held while it is open, and passed to the acquirer once it is lost.
  dispute: heldAndPaid('disputes', 'amount_cents', 'merchant_disputed', [disputesIn('held'), disputesIn('lost')]),
  // The payouts account holds the net amounts of settlements in transit, and passes those paid out to the acquirer.
  payout: heldAndPaid('settlements', 'net_cents', 'payouts', [settlementsIn('in_transit'), settlementsIn('paid_out')]),
  // The transaction count of a settlement is the number of captures among its entries.
  settlement: scope => `
      select id, counted::text as expected, transaction_count::text as found from (
        select settlement.id, transaction_count, count(distinct transaction_id) filter (where event = 'capture') as counted
        from transactions.settlements settlement left join transactions.settlement_entries on settlement_id = settlement.id
          left join transactions.ledger_entries entry on entry.id = entry_id
        where settlement.${scope} and deleted_at is null and status <> 'failed' group by settlement.id) as compared
      where counted <> transaction_count`,
  // A daily snapshot is the sum of the entries up to the end of its day.
  balance_snapshot: scope => `
      select id, running::text as expected, snapshot::text as found from (
        select id, snapshot, array[sum(available) over up_to, sum(pending) over up_to, sum(reserved) over up_to,
          sum(disputed) over up_to]::numeric[] as running
        from (
          select null as id, null::numeric[] as snapshot, merchant_id, currency, day, ${balanceSql('merchant_available')} as available,
            ${balanceSql('merchant_pending')} as pending, ${balanceSql('merchant_reserve')} as reserved,
            ${balanceSql('merchant_disputed')} as disputed
          from transactions.ledger_entries entry where ${scope} group by merchant_id, currency, day
          union all
          select id, array[available_cents, pending_cents, reserved_cents, disputed_cents]::numeric[], merchant_id, currency, day,
            0, 0, 0, 0
          from transactions.balance_snapshots where ${scope} and ${isComplete}) as days
        window up_to as (partition by merchant_id, currency order by day)) as compared
      where snapshot <> running`,
  // Failed and deleted settlements have no entries.
  settlement_entry: scope => `
      select entry_id as id, 'free' as expected, settlement_id as found
      from transactions.settlement_entries left join transactions.settlements settlement on settlement.id = settlement_id
      where settlement.${scope} and (settlement.deleted_at is not null or settlement.status = 'failed')`,
  // A position with uncollected entries is marked as unsettled.
  unsettled: scope => `
      select transaction_id as id, 'true' as expected, 'false' as found
      from transactions.ledger_positions position join transactions.ledger_entries entry using (transaction_id)
      where position.${scope} and not position.unsettled
        and not exists (select 1 from transactions.settlement_entries where entry_id = entry.id)
        and exists (select 1 from transactions.transactions where id = transaction_id and deleted_at is null)`,
  // The stored counts equal the numbers of rows.
  count: scope => `
      select merchant_id as id, sum(counted)::text as expected, sum(stored)::text as found from (
        select merchant_id, status, payment_method, rail, currency, 1 as counted, 0 as stored
        from transactions.transactions where deleted_at is null
        union all
        select merchant_id, status, payment_method, rail, currency, 0, count from transactions.transaction_totals) as counts
      where ${scope} group by merchant_id, status, payment_method, rail, currency having sum(counted) <> sum(stored)`,
  // The counts of all merchants together are the sums of each merchant's. Only the check of all merchants includes them.
  count_of_all: scope => `
      select concat_ws(' ', status, payment_method, rail, currency) as id, sum(counted)::text as expected, sum(stored)::text as found
      from (
        select 'all' as merchant_id, status, payment_method, rail, currency, count as counted, 0 as stored
        from transactions.transaction_totals
        union all
        select 'all', status, payment_method, rail, currency, 0, count from transactions.transaction_totals_of_all) as counts
      where ${scope} group by status, payment_method, rail, currency having sum(counted) <> sum(stored)`,
}

/** The column of the transaction in the queries that can be restricted to some transactions. */
const transactionColumns: Record<string, DiscrepancyQuery['transactionColumn']> = {
  ...{ position: 'transaction_id', hold: 'transaction_id', unsettled: 'transaction_id' },
  ...{ transaction: 'id', deletion: 'id', status: 'id' },
}

/**
 * Everything that must match the entries. That debits equal credits needs no query: an entry holds
 * both sides of one amount, and constraints of the table reject anything else.
 */
export const discrepancyQueries: readonly DiscrepancyQuery[] = [
  ...entryDiscrepancies,
  ...Object.entries(queriesByKind).map(([kind, sql]) => ({ kind, sql, transactionColumn: transactionColumns[kind] })),
  ...reportDiscrepancies,
]
