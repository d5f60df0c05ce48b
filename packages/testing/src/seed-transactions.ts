import { vacuumTable } from './vacuum-table.ts'

/** Runs a query as the administrator. */
type Query = (sql: string, values?: unknown[]) => Promise<any[]>

/** The number of rows to seed, and for which merchant. */
export interface TransactionSeed {
  /** The merchant of `merchantRows` of the rows, which are spread evenly among all of them. */
  merchant: string
  rows: number
  merchantRows: number
}

const batchRows = 500_000
const otherMerchants = 2_000

/**
 * Fills the transactions table with what looks like a year of payments up to now. The same input
 * gives the same rows, except for the times. Only for searches: there are no ledger entries. Recreates the indexes at
 * the end, in a fraction of the time that updating them with every insert would take.
 */
export async function seedTransactions(query: Query, seed: TransactionSeed): Promise<void> {
  const indexes: { name: string; definition: string }[] = await query(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
     where indrelid = 'transactions.transactions'::regclass
       and not exists (select 1 from pg_constraint where conindid = indexrelid)`,
  )
  for (const { name } of indexes) await query(`drop index ${name}`)
  const until = new Date()
  for (let from = 1; from <= seed.rows; from += batchRows) {
    const to = Math.min(seed.rows, from + batchRows - 1)
    await query(seedSql, [from, to, seed.rows, seed.merchantRows, seed.merchant, until])
  }
  for (const { definition } of indexes) await query(`set maintenance_work_mem = '512MB'; ${definition}`)
  await vacuumTable(query, 'transactions.transactions')
}

/** SQL for a pseudorandom number in [0, 1), derived from row and field so that it is repeatable. */
const chance = (field: number) => `((hashint8extended(n, ${field}) & 4503599627370495) / 4503599627370496.0)`

/** SQL that picks a value by its share of rows. Shares add up to at most 1; other rows get null. */
function oneOf(field: number, shares: Record<string, number>): string {
  let upperBound = 0
  const cases = Object.entries(shares).map(([value, share]) => {
    upperBound += share
    return `when ${chance(field)} < ${upperBound.toFixed(6)} then '${value}'`
  })
  return `case ${cases.join(' ')} end`
}

const statuses = {
  ...{
    approved: 0.82,
    declined: 0.11,
    refunded: 0.025,
    failed: 0.02,
    expired: 0.015,
    cancelled: 0.005,
    chargeback: 0.003,
  },
  pending: 1,
}

const seedSql = `
  insert into transactions.transactions (id, merchant_id, type, correlation_id, payment_intent_id, attempt, payment_link_id,
    order_id, reference, payer_email, customer_ref, rail, payment_method, status, amount_cents, currency, fee_cents, card,
    decline_reason, risk_score, refund_status, refund_requested_at, refunded_at, terminal_id, metadata, metadata_terms, created_at, updated_at, captured_at)
  select 'txn_' || tail, merchant, 'payment', 'corr_' || tail, 'pi_' || tail, 1,
    case when ${chance(1)} < 0.2 then 'pl_' || lpad(to_hex(n / 8), 26, '0') end,
    case when ${chance(2)} < 0.9 then 'order-' || n end,
    case when ${chance(3)} < 0.6 then 'F-' || n end,
    case when ${chance(4)} < 0.95 then 'payer' || person || '@example.com' end,
    case when ${chance(5)} < 0.2 then 'customer ' || person end,
    case when terminal is null then 'online_cnp' else 'inperson_cp' end,
    method, status, amount, ${oneOf(6, { USD: 0.05, MXN: 1 })}, case when paid then amount * 36 / 1000 else 0 end,
    case when method = 'card' then jsonb_build_object('brand', ${oneOf(7, { visa: 0.6, mastercard: 0.35, amex: 1 })},
      'last4', lpad((n % 10000)::text, 4, '0')) end,
    case when status = 'declined' then ${oneOf(8, { insufficient_funds: 0.6, expired_card: 0.1, card_declined: 1 })} end,
    floor(100 * ${chance(9)} ^ 3),
    case when status = 'refunded' then 'completed' when paid and ${chance(10)} < 0.002 then 'processing' end,
    case when status = 'refunded' or paid and ${chance(10)} < 0.002 then at + interval '1 day' end,
    case when status = 'refunded' then at + interval '2 days' end,
    terminal, jsonb_build_object('plan', plan, 'seats', seats, 'customer', jsonb_build_object('id', person)),
    array['plan=' || plan, 'seats=' || seats, 'customer.id=' || person],
    at, at + interval '1 second' * (1 + floor(${chance(11)} ^ 4 * 3e6)), case when paid then at + interval '1 second' end
  from (
    select *, status in ('approved', 'refunded', 'chargeback') as paid,
      -- Like a ULID: the time, then a random part.
      '0' || lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || substr(md5(n::text), 1, 13) as tail
    from (
      select n, date_trunc('milliseconds', $6::timestamptz - interval '365 days' * (1 - n / $3::float8)) as at,
        case when n * $4::bigint / $3::bigint > (n - 1) * $4::bigint / $3::bigint then $5::text
          else 'mrc_' || lpad(floor(${otherMerchants} * ${chance(12)} ^ 3)::text, 26, '0') end as merchant,
        ${oneOf(13, statuses)} as status,
        ${oneOf(14, { cash: 0.12, card: 1 })} as method,
        case when ${chance(15)} < 0.15 then 'trm_' || lpad(floor(900 * ${chance(16)})::text, 26, '0') end as terminal,
        floor(exp(ln(100) + ${chance(17)} * ln(20000)))::bigint as amount,
        floor($3::bigint / 10 * ${chance(18)})::bigint as person,
        ${oneOf(19, { gold: 0.1, silver: 0.3, free: 1 })} as plan,
        1 + floor(50 * ${chance(20)})::integer as seats
      from generate_series($1::bigint, $2::bigint) as n
      offset 0) as drawn
    offset 0) as paid`
