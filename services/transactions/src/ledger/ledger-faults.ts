import { disputeStatuses } from '@cobro/contracts'
import { stageOf } from '../disputes/dispute-states.ts'

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
  /** `mine` is the condition that says which merchants' rows are looked at. */
  sql: (schema: string, mine: string) => string
}

/**
 * What has to follow from the entries. Debits equal credits by the shape of an entry, which names both sides of one amount; the
 * table refuses any other.
 */
export const faultFinders: readonly FaultFinder[] = [
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
    // A dispute's amount is set aside while it runs, and gone once it was lost.
    kind: 'dispute',
    sql: (schema, mine) => `
      select id, said::text as expected, booked::text as found from (
        select dispute.id, array[
            case when dispute.deleted_at is null and dispute.status in (${statusesOf('held')}) then dispute.amount_cents else 0 end,
            case when dispute.deleted_at is null and dispute.status in (${statusesOf('gone')}) then dispute.amount_cents else 0 end
          ]::numeric[] as said,
          array[${balanceSql('merchant_disputed')}, ${balanceSql('receivable_acquirer')}]::numeric[] as booked
        from ${schema}.disputes dispute left join ${schema}.ledger_entries entry on source_id = dispute.id
        where dispute.${mine} group by dispute.id) as compared
      where said <> booked`,
  },
  {
    // What is on its way to the merchant are the settlements that are neither paid nor undone.
    kind: 'payout',
    sql: (schema, mine) => `
      select id, said::text as expected, booked::text as found from (
        select settlement.id, array[
            case when settlement.deleted_at is null and settlement.status = 'pending' then net_cents else 0 end,
            case when settlement.deleted_at is null and settlement.status = 'paid' then net_cents else 0 end]::numeric[] as said,
          array[${balanceSql('payouts')}, ${balanceSql('receivable_acquirer')}]::numeric[] as booked
        from ${schema}.settlements settlement left join ${schema}.ledger_entries entry on source_id = settlement.id
        where settlement.${mine} group by settlement.id) as compared
      where said <> booked`,
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
]
