import { sidesOf } from './ledger-accounts.ts'
import type { FaultFinder } from './ledger-faults.ts'

const fittingSides = Object.entries(sidesOf)
  .flatMap(([event, sides]) =>
    sides.flatMap(([from, to]) => from.flatMap(debit => to.map(credit => [event, debit, credit]))),
  )
  .map(fitting => `(${fitting.map(word => `'${word}'`).join(', ')})`)
  .join(', ')

const bookOf = (table: string) => `concat_ws(' ', ${table}.merchant_id, ${table}.currency)`
const otherBook = (one: string, other: string) =>
  `(${one}.merchant_id, ${one}.currency) <> (${other}.merchant_id, ${other}.currency)`

/** What an entry is about, and that all that belongs together is of one merchant and currency. */
export const entryFaults: readonly FaultFinder[] = [
  {
    kind: 'position',
    sql: (schema, mine) => `
      select row.id, ${bookOf('row')} as expected, ${bookOf('position')} as found
      from ${schema}.ledger_positions position join ${schema}.transactions row on row.id = transaction_id
      where (position.${mine} or row.${mine}) and ${otherBook('position', 'row')}`,
  },
  {
    // Money moves for a transaction, of which a refund or dispute has to be, or for a settlement.
    kind: 'entry',
    sql: (schema, mine) => `
      select id, wanted as expected, coalesce(source_id, transaction_id, 'none') as found from (
        select id, source_id, transaction_id, case
          when starts_with(event, 'settlement_') then case when transaction_id is not null or not exists (
            select 1 from ${schema}.settlements where id = entry.source_id) then 'a settlement' end
          when transaction_id is null then 'a transaction'
          when event = 'refund' then case when not exists (
            select 1 from ${schema}.refunds where id = entry.source_id and transaction_id = entry.transaction_id)
            then 'a refund of its transaction' end
          when starts_with(event, 'dispute_') then case when not exists (
            select 1 from ${schema}.disputes where id = entry.source_id and transaction_id = entry.transaction_id)
            then 'a dispute of its transaction' end
        end as wanted
        from ${schema}.ledger_entries entry where ${mine}) as asked
      where wanted is not null`,
  },
  {
    kind: 'entry',
    sql: (schema, mine) => `
      select id, 'accounts of ' || event as expected, debit || ' to ' || credit as found from ${schema}.ledger_entries
      where ${mine} and (event, debit, credit) not in (${fittingSides})`,
  },
  {
    kind: 'entry',
    sql: (schema, mine) => `
      select entry.id, ${bookOf('position')} as expected, ${bookOf('entry')} as found
      from ${schema}.ledger_entries entry join ${schema}.ledger_positions position using (transaction_id)
      where (entry.${mine} or position.${mine}) and ${otherBook('entry', 'position')}`,
  },
  {
    kind: 'settlement',
    sql: (schema, mine) => `
      select settlement.id, ${bookOf('entry')} as expected, ${bookOf('settlement')} as found
      from ${schema}.settlements settlement join ${schema}.settlement_entries on settlement_id = settlement.id
        join ${schema}.ledger_entries entry on entry.id = entry_id
      where (settlement.${mine} or entry.${mine}) and ${otherBook('settlement', 'entry')}`,
  },
  {
    kind: 'entry',
    sql: (schema, mine) => `
      select entry.id, ${bookOf('settlement')} as expected, ${bookOf('entry')} as found
      from ${schema}.ledger_entries entry join ${schema}.settlements settlement on settlement.id = source_id
      where (entry.${mine} or settlement.${mine}) and ${otherBook('entry', 'settlement')}`,
  },
  ...(['dispute', 'refund'] as const).map(kind => ({
    kind,
    sql: (schema: string, mine: string) => `
      select about.id, ${bookOf('row')} as expected, ${bookOf('about')} as found
      from ${schema}.${kind}s about join ${schema}.transactions row on row.id = transaction_id
      where (about.${mine} or row.${mine}) and ${otherBook('about', 'row')}`,
  })),
]
