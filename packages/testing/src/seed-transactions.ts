import { vacuumTable } from './vacuum-table.ts'

/** Asks a database as its administrator. */
type Query = (sql: string, values?: unknown[]) => Promise<any[]>

/** How much is seeded, and for whom. */
export interface TransactionSeed {
  /** The merchant that has `merchantRows` of all `rows`, spread evenly among them. */
  merchant: string
  rows: number
  merchantRows: number
}

const atOnce = 500_000
const otherMerchants = 2_000

/**
 * Fills the table of transactions with what looks like a year of payments: the same rows for the same seed, but for the time, which
 * ends now. They are there to be looked for: no money of the ledger stands behind them. Indexes are made again afterwards, which
 * takes a fraction of the time that keeping them meanwhile would.
 */
export async function seedTransactions(query: Query, seed: TransactionSeed): Promise<void> {
  const indexes: { name: string; made: string }[] = await query(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as made from pg_index
     where indrelid = 'transactions.transactions'::regclass
       and not exists (select 1 from pg_constraint where conindid = indexrelid)`,
  )
  for (const { name } of indexes) await query(`drop index ${name}`)
  const until = new Date()
  for (let from = 1; from <= seed.rows; from += atOnce) {
    const to = Math.min(seed.rows, from + atOnce - 1)
    await query(seedSql, [from, to, seed.rows, seed.merchantRows, seed.merchant, until])
  }
  for (const { made } of indexes) await query(`set maintenance_work_mem = '512MB'; ${made}`)
  await vacuumTable(query, 'transactions.transactions')
}

/** A number from 0 to below 1 that follows from the row's own and the field's: the same in any order, on any connection. */
const chance = (field: number) => `((hashint8extended(n, ${field}) & 4503599627370495) / 4503599627370496.0)`

/** One of some values, each with the share of rows that has it. Shares add up to at most 1; the rest has none. */
function oneOf(field: number, shares: Record<string, number>): string {
  let below = 0
  const cases = Object.entries(shares).map(([value, share]) => {
    below += share
    return `when ${chance(field)} < ${below.toFixed(6)} then '${value}'`
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
    decline_reason, risk_score, refund_status, refunded_at, terminal_id, metadata, metadata_terms, created_at, updated_at, captured_at)
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
    case when status = 'refunded' then at + interval '2 days' end,
    terminal, jsonb_build_object('plan', plan, 'seats', seats, 'customer', jsonb_build_object('id', person)),
    array['plan=' || plan, 'seats=' || seats, 'customer.id=' || person],
    at, at + interval '1 second' * (1 + floor(${chance(11)} ^ 4 * 3e6)), case when paid then at + interval '1 second' end
  from (
    select *, status in ('approved', 'refunded', 'chargeback') as paid,
      -- As ids are: the time, then what nobody can guess.
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
