import type { Caller, ledgerCheck } from '@cobro/contracts'
import { type Database, scopeOf } from '@cobro/database'
import type { z } from 'zod'
import { settlementFigures } from '../settlements/settlement-figures.ts'
import type { Account, LedgerEvent } from './ledger-accounts.ts'
import { faultFinders } from './ledger-faults.ts'

type Result = z.output<typeof ledgerCheck>
type Fault = NonNullable<Result['first_fault']>

/**
 * Looks through the ledger of the merchants that a caller may see, of all where none is given, and names the first row that does
 * not follow from the entries. Each question is one statement, so that what is written meanwhile is seen whole or not at all.
 */
export async function checkLedger(db: Database, caller?: Caller): Promise<Result> {
  const scope = scopeIn(caller)
  const { entries, transactions } = await countRows(db, scope)
  const first_fault = (await findFault(db, scope)) ?? (await findSettlementFault(db, scope)) ?? null
  return { ok: first_fault === null, entries, transactions, first_fault }
}

/** A condition that follows upon a table's name, and what it is asked with. */
interface Scope {
  mine: string
  given: string[]
}

function scopeIn(caller: Caller | undefined): Scope {
  const { merchant_id } = caller ? scopeOf(caller) : {}
  if (merchant_id === undefined) return { mine: 'merchant_id is not null', given: [] }
  const merchants = typeof merchant_id === 'string' ? [merchant_id] : merchant_id.$in
  return { mine: 'merchant_id in (select jsonb_array_elements_text(?::jsonb))', given: [JSON.stringify(merchants)] }
}

async function countRows({ read, schema }: Database, { mine, given }: Scope) {
  const [row] = await read(em =>
    em.execute<{ entries: number; transactions: number }[]>(
      `select count(*)::integer as entries, count(distinct transaction_id)::integer as transactions
       from ${schema}.ledger_entries where ${mine}`,
      given,
    ),
  )
  return row ?? { entries: 0, transactions: 0 }
}

async function findFault({ read, schema }: Database, { mine, given }: Scope): Promise<Fault | undefined> {
  for (const { kind, sql } of faultFinders) {
    const statement = `select * from (${sql(schema, mine)}) as fault order by id limit 1`
    // The condition may stand in it more than once.
    const asked = statement
      .split('?')
      .slice(1)
      .flatMap(() => given)
    const [fault] = await read(em => em.execute<Omit<Fault, 'kind'>[]>(statement, asked))
    if (fault) return { kind, ...fault }
  }
  return undefined
}

interface Collected {
  id: string
  said: string[]
  groups: { event: LedgerEvent; debit: Account; credit: Account; amount: string }[] | null
}

/** How many settlements are looked at in one statement. */
const settlementsAtOnce = 200

/** A settlement says what its entries add up to. Those that failed or were deleted have given theirs free. */
async function findSettlementFault({ read, schema }: Database, { mine, given }: Scope): Promise<Fault | undefined> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const settlements: Collected[] = await read(em =>
      em.execute(
        `select id, array[gross_cents, fee_cents, refund_cents, chargeback_cents, reserve_held_cents, reserve_released_cents,
           net_cents]::text[] as said, collected.groups
         from ${schema}.settlements settlement, lateral (
           select json_agg(json_build_object('event', event, 'debit', debit, 'credit', credit, 'amount', amount::text)) as groups
           from (
             select event, debit, credit, sum(amount_cents) as amount
             from ${schema}.settlement_entries join ${schema}.ledger_entries entry on entry.id = entry_id
             where settlement_id = settlement.id group by event, debit, credit) as grouped) as collected
         where settlement.${mine} and deleted_at is null and status <> 'failed' and id > ?
         order by id limit ${settlementsAtOnce}`,
        [...given, after],
      ),
    )
    const wrong = settlements.find(each => figuresOf(each) !== each.said.join(', '))
    if (wrong) return { kind: 'settlement', id: wrong.id, expected: wrong.said.join(', '), found: figuresOf(wrong) }
    after = settlements.at(-1)?.id
  }
  return undefined
}

function figuresOf({ groups }: Collected): string {
  const figures = settlementFigures((groups ?? []).map(group => ({ ...group, amount: BigInt(group.amount) })))
  const { gross, fee, refund, chargeback, reserve_held, reserve_released, net } = figures
  return [gross, fee, refund, chargeback, reserve_held, reserve_released, net].join(', ')
}
