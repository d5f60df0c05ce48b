import { planForValues, type Tx } from '@cobro/database'
import type { Posting } from '../ledger/ledger-accounts.ts'
import type { LedgerWork } from '../ledger/merchant-ledgers.ts'
import { delayDaysOf } from '../settlement-config/settlement-delay.ts'
import { addDays } from '../time/utc-days.ts'
import { calculateSettlement } from './calculate-settlement.ts'

/** How many rows one statement processes, so that it stays within the statement timeout. */
const chunk = 10_000

export type CollectedAmounts = ReturnType<typeof calculateSettlement> & { transaction_count: number }

/** The sum of some collected entries, and how many captures one statement collected in all. */
type EntryGroup = Omit<Posting, 'amount'> & { amount: string; captures: number }

/**
 * Adds a locked ledger's uncollected entries of matured transactions up to `lastDay`. Returns sums.
 * Leaves a transaction that would still have a pending balance, so that a settlement pays out what it made available.
 */
export async function collectEntries(
  { tx, ledger }: LedgerWork,
  settlementId: string,
  lastDay: string,
  limit = chunk,
): Promise<CollectedAmounts> {
  const dueOn = addDays(lastDay, -(await delayDaysOf(tx, ledger)))
  const collected: Posting[] = []
  let transaction_count = 0
  for (let after: string | undefined = ''; after !== undefined; ) {
    const positions: { transaction_id: string }[] = await tx.execute(
      planForValues(`select transaction_id from transactions.ledger_positions
       where merchant_id = ? and currency = ? and unsettled and captured_on <= ? and transaction_id > ?
       order by transaction_id limit ? for update`),
      [ledger.merchant_id, ledger.currency, dueOn, after, limit],
    )
    const ids = JSON.stringify(positions.map(row => row.transaction_id))
    const groups = await tx.execute<EntryGroup[]>(collectSql, [ids, lastDay, settlementId])
    collected.push(...groups.map(group => ({ ...group, amount: BigInt(group.amount) })))
    transaction_count += groups[0]?.captures ?? 0
    await updateUnsettled(tx, ids)
    after = positions.length < limit ? undefined : positions.at(-1)?.transaction_id
  }
  return { ...calculateSettlement(collected), transaction_count }
}

/** Sums up each chunk as it is collected: one query over a large settlement would time out. */
const collectSql = `
  with open as (
    select id, transaction_id, event, debit, credit, amount_cents,
      case 'merchant_pending' when credit then amount_cents when debit then -amount_cents else 0 end as pending
    from transactions.ledger_entries entry
    where transaction_id in (select jsonb_array_elements_text(?::jsonb)) and day <= ?
      and not exists (select 1 from transactions.settlement_entries where entry_id = entry.id)
  ), due as (
    select * from open where transaction_id in (select transaction_id from open group by transaction_id having sum(pending) = 0)
  ), collected as (
    insert into transactions.settlement_entries (entry_id, settlement_id) select id, ? from due
  )
  select event, debit, credit, sum(amount_cents) as amount,
    (select count(distinct transaction_id)::integer from due where event = 'capture') as captures
  from due group by event, debit, credit`

/** Releases a settlement's entries, so that another one can collect them. The ledger is locked. */
export async function releaseEntries(tx: Tx, settlementId: string, limit = chunk): Promise<void> {
  for (;;) {
    const released = await tx.execute<{ transaction_id: string }[]>(
      `with released as (
         delete from transactions.settlement_entries where entry_id in (
           select entry_id from transactions.settlement_entries where settlement_id = ? limit ?)
         returning entry_id)
       select distinct transaction_id from transactions.ledger_entries where id in (select entry_id from released)`,
      [settlementId, limit],
    )
    if (released.length === 0) return
    await updateUnsettled(tx, JSON.stringify(released.map(row => row.transaction_id)))
  }
}

/** Updates `unsettled` of positions. Locks them first, in order, to block new entries. */
async function updateUnsettled(tx: Tx, ids: string): Promise<void> {
  await tx.execute(
    `select 1 from transactions.ledger_positions where transaction_id in (select jsonb_array_elements_text(?::jsonb))
     order by transaction_id for update`,
    [ids],
  )
  await tx.execute(
    `update transactions.ledger_positions position set unsettled = exists (
       select 1 from transactions.ledger_entries entry where entry.transaction_id = position.transaction_id
         and not exists (select 1 from transactions.settlement_entries where entry_id = entry.id))
     where transaction_id in (select jsonb_array_elements_text(?::jsonb))`,
    [ids],
  )
}
