import { isId, newId } from '@cobro/contracts'
import { withClient } from '@cobro/local-stack'
import { seedTransactions } from '@cobro/testing'

interface Options {
  rows: number
  merchantRows: number
  /** Defaults to a merchant that does not exist. */
  merchant: string | undefined
  /** Administrator URL of a migrated database. */
  database: string | undefined
}

/** Not a benchmark: fills a database with what looks like a year of transactions. */
export async function benchSeedTransactions(options: Options): Promise<void> {
  const { rows, merchantRows, merchant = newId('mrc'), database } = options
  if (!database) throw new Error('Missing --database: give an administrator URL, such as --database postgres://…')
  if (!isId('mrc', merchant)) throw new Error(`${merchant} is no id of a merchant.`)
  if (!(merchantRows <= rows)) throw new Error('A merchant has at most all rows: --merchant-rows, --rows.')
  await withClient(database, async client => {
    const query = async (sql: string, values?: unknown[]) => (await client.query(sql, values)).rows
    await seedTransactions(query, { merchant, rows, merchantRows })
    process.stdout.write(`${rows} transactions, ${merchantRows} of them of ${merchant}\n`)
  })
}
