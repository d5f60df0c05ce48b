import type { DisputeStatus, Id } from '@cobro/contracts'
import type { ledgerFixture } from './ledger-fixture.ts'

/** A merchant's terms in a currency. */
export interface Terms {
  merchant: Id<'mrc'>
  currency: string
  feeBps: bigint
  holdBps: bigint
}

type World = Awaited<ReturnType<typeof ledgerFixture>>

const held = new Set<DisputeStatus>(['open', 'under_review'])
const lostStatuses = new Set<DisputeStatus>(['lost', 'accepted', 'expired'])
const sum = (cents: bigint[]) => cents.reduce((all, one) => all + one, 0n)
const share = (amount: bigint, bps: bigint) => (amount * bps + 5_000n) / 10_000n

/** Reads a ledger's payments, disputes and settlements without reading any ledger entry. */
async function factsOf({ database }: World, { merchant, currency }: Terms) {
  const where = 'where merchant_id = $1 and currency = $2'
  const select = (columns: string, table: string, and = '') =>
    database.query(`select ${columns} from transactions.${table} ${where} ${and}`, [merchant, currency])
  const payments = await select(
    `amount_cents, fee_cents, refunded_at,
       exists (select from transactions.refunds where transaction_id = transactions.id and owed) as duplicate`,
    'transactions',
    'and captured_at is not null and deleted_at is null',
  )
  const disputes = await select('amount_cents, status', 'disputes', 'and deleted_at is null')
  const settlements = await select('net_cents, status', 'settlements', "and deleted_at is null and status <> 'failed'")
  return { payments, disputes, settlements }
}

/** Recounts the expected balances of a ledger from the outcomes of its payments. */
async function expectedBalances(world: World, terms: Terms) {
  const { payments, disputes, settlements } = await factsOf(world, terms)
  const amounts = (rows: { amount_cents: string }[]) => sum(rows.map(row => BigInt(row.amount_cents)))
  const nets = (status: string) =>
    sum(settlements.filter(one => one.status === status).map(one => BigInt(one.net_cents)))
  const fees = sum(payments.filter(row => !row.duplicate).map(row => share(BigInt(row.amount_cents), terms.feeBps)))
  const refunded = amounts(payments.filter(row => row.refunded_at))
  const running = amounts(disputes.filter(row => held.has(row.status)))
  const lost = amounts(disputes.filter(row => lostStatuses.has(row.status)))
  return {
    stored_fees: sum(payments.map(row => BigInt(row.fee_cents))),
    fees,
    disputed: running,
    payouts: nets('pending'),
    receivable: amounts(payments) - refunded - lost - nets('paid'),
    owed: amounts(payments) - fees - refunded - running - lost - nets('pending') - nets('paid'),
  }
}

/** Sums the ledger entries of each account. */
async function foundBalances(world: World, { merchant, currency }: Terms) {
  const on = { ...noBalances, ...(await world.balances(merchant, currency)) }
  return {
    stored_fees: on.fee_revenue,
    fees: on.fee_revenue,
    disputed: on.merchant_disputed,
    payouts: on.payouts,
    receivable: -on.receivable_acquirer,
    owed: on.merchant_pending + on.merchant_available + on.merchant_reserve,
    all: sum(Object.values(on)),
    snapshot: [on.merchant_available, on.merchant_pending, on.merchant_reserve, on.merchant_disputed],
    reserve: on.merchant_reserve,
  }
}
const noBalances = {
  ...{ receivable_acquirer: 0n, merchant_pending: 0n, merchant_available: 0n, merchant_reserve: 0n },
  ...{ merchant_disputed: 0n, fee_revenue: 0n, payouts: 0n },
}

/** Returns the settlements whose amounts differ from the sums of their entries. */
async function settlementDiscrepancies({ database }: World, { merchant, currency }: Terms): Promise<unknown[]> {
  return database.query(
    `with collected as (
       select settlement_id, event, amount_cents * (case when credit = account then 1 else -1 end) as moved, account, transaction_id
       from transactions.settlement_entries join transactions.ledger_entries on id = entry_id,
         unnest(array[debit, credit]) as account)
     select settlement.id from transactions.settlements settlement left join collected on settlement_id = settlement.id
     where merchant_id = $1 and currency = $2 and deleted_at is null and status <> 'failed'
     group by settlement.id having net_cents is distinct from sum(moved) filter (where account in ('merchant_pending', 'merchant_available'))
       or 0 <> coalesce(sum(moved) filter (where account = 'merchant_pending'), 0)
       or net_cents <= 0
       or net_cents <> gross_cents - fee_cents - refund_cents - chargeback_cents - reserve_held_cents + reserve_released_cents
       or transaction_count <> count(distinct transaction_id) filter (where event = 'capture')`,
    [merchant, currency],
  )
}

/** Returns the differences from the recount. `shown` are the amounts that the service returns. */
export async function recount(
  world: World,
  terms: Terms,
  shown: { snapshot: number[]; held: number | undefined },
): Promise<unknown[]> {
  const expected = await expectedBalances(world, terms)
  const { all, snapshot, reserve, ...found } = await foundBalances(world, terms)
  const discrepancies: unknown[] = await settlementDiscrepancies(world, terms)
  for (const name of Object.keys(expected) as (keyof typeof expected)[])
    if (found[name] !== expected[name]) discrepancies.push(`${name}: ${found[name]} instead of ${expected[name]}`)
  if (all !== 0n) discrepancies.push(`all accounts: ${all}`)
  if (snapshot.join() !== shown.snapshot.join())
    discrepancies.push(`snapshot: ${shown.snapshot} instead of ${snapshot}`)
  if (shown.held !== undefined && BigInt(shown.held) !== reserve)
    discrepancies.push(`held: ${shown.held} instead of ${reserve}`)
  return discrepancies
}
