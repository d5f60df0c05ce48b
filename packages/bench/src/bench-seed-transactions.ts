import { isId, newId } from '@cobro/contracts'
import { seedTransactions } from '@cobro/testing'
import { Client } from 'pg'

interface Options {
  rows: number
  merchantRows: number
  /** Left out: a merchant that nobody knows. */
  merchant: string | undefined
  /** An administrator's address of a database whose schemas have been migrated. */
  database: string | undefined
}

/** No benchmark but what one needs: fills a database's transactions with what looks like a year of them. */
export async function benchSeedTransactions(options: Options): Promise<void> {
  const { rows, merchantRows, merchant = newId('mrc'), database } = options
  if (!database) throw new Error('Which database? Name an administrator’s address: --database postgres://…')
  if (!isId('mrc', merchant)) throw new Error(`${merchant} is no id of a merchant.`)
  if (!(merchantRows <= rows)) throw new Error('A merchant has at most all rows: --merchant-rows, --rows.')
  const client = new Client({ connectionString: database })
  await client.connect()
  try {
    const query = async (sql: string, values?: unknown[]) => (await client.query(sql, values)).rows
    await seedTransactions(query, { merchant, rows, merchantRows })
    process.stdout.write(`${rows} transactions, ${merchantRows} of them of ${merchant}\n`)
  } finally {
    await client.end()
  }
}
