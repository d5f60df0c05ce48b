import type { Posting } from '../ledger/ledger-accounts.ts'
import { type BookWork, delayDaysOf } from '../ledger/ledger-books.ts'
import { type SettlementFigures, settlementFigures } from './settlement-figures.ts'
import { addDays } from './utc-days.ts'

/** How many rows a statement works on: it has to end in time, however many there are. */
const chunk = 10_000

interface Collecting extends BookWork {
  settlementId: string
  /** The last day whose entries are collected. */
  end: string
}

export type Collected = SettlementFigures & { transaction_count: number }

/** What some of the collected entries add up to, and how many payments are among all that were collected with them. */
interface Group extends Omit<Posting, 'amount'> {
  amount: string
  captures: number
}

/**
 * Puts the entries of a locked book that no settlement has yet into one: of the transactions that have matured, those up to the
 * last day. A transaction that has something pending among them is left for a later settlement, so that each pays out exactly
 * what its entries made available. Gives what they add up to.
 */
export async function collectEntries(
  { tx, schema, book, settlementId, end }: Collecting,
  atOnce = chunk,
): Promise<Collected> {
  const dueOn = addDays(end, -(await delayDaysOf(tx, book)))
  const collected: Posting[] = []
  let transaction_count = 0
  for (let after: string | undefined = ''; after !== undefined; ) {
    const positions: { transaction_id: string }[] = await tx.execute(
      `select transaction_id from ${schema}.ledger_positions
       where merchant_id = ? and currency = ? and unsettled and captured_on <= ? and transaction_id > ?
       order by transaction_id limit ? for update`,
      [book.merchant_id, book.currency, dueOn, after, atOnce],
    )
    const ids = JSON.stringify(positions.map(row => row.transaction_id))
    const groups = await tx.execute<Group[]>(collectSql(schema), [ids, end, settlementId])
    collected.push(
      ...groups.map(({ event, debit, credit, amount }) => ({ event, debit, credit, amount: BigInt(amount) })),
    )
    transaction_count += groups[0]?.captures ?? 0
    await noteUnsettled({ tx, schema }, ids)
    after = positions.length < atOnce ? undefined : positions.at(-1)?.transaction_id
  }
  return { ...settlementFigures(collected), transaction_count }
}

/** Added up as they are collected: all of a large settlement together would take one statement too long. */
const collectSql = (schema: string) => `
  with open as (
    select id, transaction_id, event, debit, credit, amount_cents,
      case 'merchant_pending' when credit then amount_cents when debit then -amount_cents else 0 end as pending
    from ${schema}.ledger_entries entry
    where transaction_id in (select jsonb_array_elements_text(?::jsonb)) and day <= ?
      and not exists (select 1 from ${schema}.settlement_entries where entry_id = entry.id)
  ), due as (
    select * from open where transaction_id in (select transaction_id from open group by transaction_id having sum(pending) = 0)
  ), collected as (
    insert into ${schema}.settlement_entries (entry_id, settlement_id) select id, ? from due
  )
  select event, debit, credit, sum(amount_cents) as amount,
    (select count(distinct transaction_id)::integer from due where event = 'capture') as captures
  from due group by event, debit, credit`

/** Gives the entries of a settlement free for another one. Its book is locked. */
export async function freeEntries(
  { tx, schema }: Pick<BookWork, 'tx' | 'schema'>,
  settlementId: string,
  atOnce = chunk,
): Promise<void> {
  for (;;) {
    const freed = await tx.execute<{ transaction_id: string }[]>(
      `with freed as (
         delete from ${schema}.settlement_entries where entry_id in (
           select entry_id from ${schema}.settlement_entries where settlement_id = ? limit ?)
         returning entry_id)
       select distinct transaction_id from ${schema}.ledger_entries where id in (select entry_id from freed)`,
      [settlementId, atOnce],
    )
    if (freed.length === 0) return
    await noteUnsettled({ tx, schema }, JSON.stringify(freed.map(row => row.transaction_id)))
  }
}

/** Whether a position has entries in no settlement. Nobody adds any meanwhile: the positions are locked in order first. */
async function noteUnsettled({ tx, schema }: Pick<BookWork, 'tx' | 'schema'>, ids: string): Promise<void> {
  await tx.execute(
    `select 1 from ${schema}.ledger_positions where transaction_id in (select jsonb_array_elements_text(?::jsonb))
     order by transaction_id for update`,
    [ids],
  )
  await tx.execute(
    `update ${schema}.ledger_positions position set unsettled = exists (
       select 1 from ${schema}.ledger_entries entry where entry.transaction_id = position.transaction_id
         and not exists (select 1 from ${schema}.settlement_entries where entry_id = entry.id))
     where transaction_id in (select jsonb_array_elements_text(?::jsonb))`,
    [ids],
  )
}
