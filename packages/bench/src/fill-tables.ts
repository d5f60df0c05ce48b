import { type TestDatabase, vacuumTable } from '@cobro/testing'

type Query = TestDatabase['query']

/** The tables that keep the rows of each payment, in the order of their foreign keys. */
export const tablesOfPayments = [
  'checkout.checkout_sessions',
  'checkout.payment_attempts',
  'checkout.idempotency_keys',
  'checkout.inbox',
  'acquirer_sandbox.tokens',
  'acquirer_sandbox.card_uses',
  'acquirer_sandbox.charges',
  'transactions.transactions',
  'transactions.ledger_positions',
  'transactions.ledger_entries',
  'webhooks.inbox',
  'webhooks.events',
  'webhooks.deliveries',
  'webhooks.attempts',
  'audit.events',
]

interface Column {
  name: string
  type: string
}

/** What differs between copies: ids, except those of merchants, endpoints, keys and users; UUIDs, and digests of SHA-256. */
const unique = [
  '(?!mrc|whk|key|usr)[a-z]+_[0-9a-z]{18}',
  '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{4}',
  '[0-9a-f]{56}',
].join('|')
const found = `\\m(${unique})[0-9a-z]{8}\\M`

/**
 * Copies the rows of all payments, 2 to 20 hours earlier, until there are at least as many payments as wanted. Ids of copies keep the
 * time that they begin with.
 */
export async function fillTables(query: Query, payments: number): Promise<void> {
  const [{ made }] = await query('select count(*)::integer as made from checkout.checkout_sessions')
  const copies = Math.ceil(payments / made)
  for (const table of tablesOfPayments) await query(await copySql(query, table), [copies])
  for (const table of tablesOfPayments) await vacuumTable(query, table)
}

async function copySql(query: Query, table: string): Promise<string> {
  const columns: Column[] = await query(
    `select attname as name, format_type(atttypid, null) as type from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
    [table],
  )
  // The pattern takes most of the time, so it is used only where it has to be.
  const testAll = async (test: (text: string) => string) => {
    const tests = columns.map(({ name }) => `${test(`${name}::text`)} as ${name}`)
    return (await query(`select ${tests.join(', ')} from ${table}`))[0]
  }
  const some = await testAll(text => `bool_or(${text} ~ '${found}')`)
  const every = await testAll(text => `bool_and(${text} ~ '^${found}$')`)
  const values = columns.map(column => copied(column, { some: some[column.name], every: every[column.name] }))
  const names = columns.map(({ name }) => name).join(', ')
  return `insert into ${table} (${names}) select ${values.join(', ')} from ${table} t cross join generate_series(1, $1::integer) as copy`
}

/** SQL for the value of a column in a copy. What is unique ends with the number of the copy, padded so that no original ends like it. */
function copied({ name, type }: Column, isUnique: { some: boolean; every: boolean }): string {
  const column = `t.${name}`
  // Numbers below those that the services give.
  if (['seq', 'sequence', 'payment_id'].includes(name)) return `-(copy * 1000000000::bigint + ${column})`
  if (type === 'timestamp with time zone')
    return `${column} - interval '2 hours' - copy * interval '18 hours' / $1::integer`
  const number = `lpad(copy::text, 8, 'z')`
  if (isUnique.every) return `left(${column}, -8) || ${number}`
  return isUnique.some ? `regexp_replace(${column}::text, '${found}', '\\1' || ${number}, 'g')::${type}` : column
}
