import type { Caller, ledgerCheck } from '@cobro/contracts'
import { type Database, scopeOf } from '@cobro/database'
import { meter } from '@cobro/runtime'
import type { z } from 'zod'
import type { Account, LedgerEvent } from '../ledger/ledger-accounts.ts'
import { calculateSettlement } from '../settlements/calculate-settlement.ts'
import { discrepancyQueries } from './ledger-discrepancies.ts'

type CheckResult = z.output<typeof ledgerCheck>
// The API's field `first_fault` is part of the contract.
type Discrepancy = NonNullable<CheckResult['first_fault']>

const failedChecks = meter.createCounter('cobro_ledger_failed_checks_total', {
  description: 'Ledger checks that found a discrepancy',
})
// A series that starts with its first failure shows no increase, so the counter starts at zero.
failedChecks.add(0)

/** Checks the ledger and counts failed checks, on which an alert pages the on-call engineer. */
export async function measuredLedgerCheck(db: Database, caller: Caller): Promise<CheckResult> {
  const checked = await checkLedger(db, caller)
  if (!checked.ok) failedChecks.add(1)
  return checked
}

/**
 * Checks the ledger of the given merchants or of all, and returns the first row that doesn't match.
 * Each query is one statement, so it sees every concurrent transaction either completely or not at all.
 */
export async function checkLedger(db: Database, caller?: Caller): Promise<CheckResult> {
  const scope = scopeFor(caller)
  const { entries, transactions } = await countRows(db, scope)
  const first_fault = (await findDiscrepancy(db, scope)) ?? (await findSettlementDiscrepancy(db, scope)) ?? null
  return { ok: first_fault === null, entries, transactions, first_fault }
}

/** A condition on `merchant_id`, which may follow an alias and a dot, and its parameters. */
interface MerchantScope {
  condition: string
  params: string[]
}

function scopeFor(caller: Caller | undefined): MerchantScope {
  const { merchant_id } = caller ? scopeOf(caller) : {}
  if (merchant_id === undefined) return { condition: 'merchant_id is not null', params: [] }
  const merchants = typeof merchant_id === 'string' ? [merchant_id] : merchant_id.$in
  const condition = 'merchant_id in (select jsonb_array_elements_text(?::jsonb))'
  return { condition, params: [JSON.stringify(merchants)] }
}

async function countRows({ read }: Database, { condition, params }: MerchantScope) {
  const [row] = await read(em =>
    em.execute<{ entries: number; transactions: number }[]>(
      `select count(*)::float8 as entries, count(distinct transaction_id)::float8 as transactions
       from transactions.ledger_entries where ${condition}`,
      params,
    ),
  )
  return row ?? { entries: 0, transactions: 0 }
}

async function findDiscrepancy({ read }: Database, { condition, params }: MerchantScope) {
  for (const { kind, sql } of discrepancyQueries) {
    const query = `select * from (${sql(condition)}) as discrepancy order by id limit 1`
    // A query may contain the condition more than once.
    const repeated = [...query.matchAll(/\?/g)].flatMap(() => params)
    const [found] = await read(em => em.execute<Omit<Discrepancy, 'kind'>[]>(query, repeated))
    if (found) return { kind, ...found }
  }
  return undefined
}

interface SettlementSums {
  id: string
  stored: string[]
  groups: { event: LedgerEvent; debit: Account; credit: Account; amount: string }[] | null
}

/** How many settlements one query reads. */
const settlementBatch = 200

/** Recalculates settlements from their entries. Failed and deleted ones have released theirs. */
async function findSettlementDiscrepancy({ read }: Database, { condition, params }: MerchantScope) {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const settlements: SettlementSums[] = await read(em =>
      em.execute(
        `select id, array[gross_cents, fee_cents, refund_cents, chargeback_cents, reserve_held_cents, reserve_released_cents,
           net_cents]::text[] as stored, collected.groups
         from transactions.settlements settlement, lateral (
           select json_agg(json_build_object('event', event, 'debit', debit, 'credit', credit, 'amount', amount::text)) as groups
           from (
             select event, debit, credit, sum(amount_cents) as amount
             from transactions.settlement_entries join transactions.ledger_entries entry on entry.id = entry_id
             where settlement_id = settlement.id group by event, debit, credit) as grouped) as collected
         where settlement.${condition} and deleted_at is null and status <> 'failed' and id > ?
         order by id limit ${settlementBatch}`,
        [...params, after],
      ),
    )
    const wrong = settlements.find(settlement => amountsOf(settlement) !== settlement.stored.join(', '))
    if (wrong) return { kind: 'settlement', id: wrong.id, expected: wrong.stored.join(', '), found: amountsOf(wrong) }
    after = settlements.at(-1)?.id
  }
  return undefined
}

function amountsOf({ groups }: SettlementSums): string {
  const amounts = calculateSettlement((groups ?? []).map(group => ({ ...group, amount: BigInt(group.amount) })))
  const { gross, fee, refund, chargeback, reserve_held, reserve_released, net } = amounts
  return [gross, fee, refund, chargeback, reserve_held, reserve_released, net].join(', ')
}
