import { sidesOf } from '../ledger/ledger-accounts.ts'

/** A query for rows that don't match the ledger entries. */
export interface DiscrepancyQuery {
  /** The kind of row, which the API returns with the first discrepancy. */
  kind: string
  /**
   * Returns SQL that selects `id`, `expected` and `found` of the merchants in `scope`.
   * `scope` is a condition on `merchant_id` without a table name, so that it can follow an alias and a dot.
   */
  sql: (scope: string) => string
  /** The column with which `scope` can also select some transactions, by an index. */
  transactionColumn?: 'id' | 'transaction_id' | undefined
}

/** SQL tuples of the event, debit and credit of every allowed posting. */
const allowedSides = Object.entries(sidesOf)
  .flatMap(([event, sides]) =>
    sides.flatMap(([from, to]) => from.flatMap(debit => to.map(credit => [event, debit, credit]))),
  )
  .map(allowed => `(${allowed.map(word => `'${word}'`).join(', ')})`)
  .join(', ')

const ledgerOf = (table: string) => `concat_ws(' ', ${table}.merchant_id, ${table}.currency)`
const differentLedger = (one: string, other: string) =>
  `(${one}.merchant_id, ${one}.currency) <> (${other}.merchant_id, ${other}.currency)`

/** Finds entries without their cause, and related rows of different merchants or currencies. */
export const entryDiscrepancies: readonly DiscrepancyQuery[] = [
  {
    kind: 'position',
    sql: scope => `
      select row.id, ${ledgerOf('row')} as expected, ${ledgerOf('position')} as found
      from transactions.ledger_positions position join transactions.transactions row on row.id = transaction_id
      where (position.${scope} or row.${scope}) and ${differentLedger('position', 'row')}`,
  },
  {
    // An entry belongs to a transaction, and to a refund or dispute of it where its event says so, or else to a settlement.
    kind: 'entry',
    transactionColumn: 'transaction_id',
    sql: scope => `
      select id, required as expected, coalesce(source_id, transaction_id, 'none') as found from (
        select id, source_id, transaction_id, case
          when starts_with(event, 'settlement_') then case when transaction_id is not null or not exists (
            select 1 from transactions.settlements where id = entry.source_id) then 'a settlement' end
          when transaction_id is null then 'a transaction'
          when event in ('refund', 'fee_returned') then case when not exists (
            select 1 from transactions.refunds where id = entry.source_id and transaction_id = entry.transaction_id)
            then 'a refund of its transaction' end
          when starts_with(event, 'dispute_') then case when not exists (
            select 1 from transactions.disputes where id = entry.source_id and transaction_id = entry.transaction_id)
            then 'a dispute of its transaction' end
        end as required
        from transactions.ledger_entries entry where ${scope}) as checked
      where required is not null`,
  },
  {
    kind: 'entry',
    sql: scope => `
      select id, 'accounts of ' || event as expected, debit || ' to ' || credit as found from transactions.ledger_entries
      where ${scope} and (event, debit, credit) not in (${allowedSides})`,
  },
  {
    kind: 'entry',
    sql: scope => `
      select entry.id, ${ledgerOf('position')} as expected, ${ledgerOf('entry')} as found
      from transactions.ledger_entries entry join transactions.ledger_positions position using (transaction_id)
      where (entry.${scope} or position.${scope}) and ${differentLedger('entry', 'position')}`,
  },
  {
    kind: 'settlement',
    sql: scope => `
      select settlement.id, ${ledgerOf('entry')} as expected, ${ledgerOf('settlement')} as found
      from transactions.settlements settlement join transactions.settlement_entries on settlement_id = settlement.id
        join transactions.ledger_entries entry on entry.id = entry_id
      where (settlement.${scope} or entry.${scope}) and ${differentLedger('settlement', 'entry')}`,
  },
  {
    kind: 'entry',
    sql: scope => `
      select entry.id, ${ledgerOf('settlement')} as expected, ${ledgerOf('entry')} as found
      from transactions.ledger_entries entry join transactions.settlements settlement on settlement.id = source_id
      where (entry.${scope} or settlement.${scope}) and ${differentLedger('entry', 'settlement')}`,
  },
  ...(['dispute', 'refund'] as const).map(kind => ({
    kind,
    sql: (scope: string) => `
      select child.id, ${ledgerOf('row')} as expected, ${ledgerOf('child')} as found
      from transactions.${kind}s child join transactions.transactions row on row.id = transaction_id
      where (child.${scope} or row.${scope}) and ${differentLedger('child', 'row')}`,
  })),
]
