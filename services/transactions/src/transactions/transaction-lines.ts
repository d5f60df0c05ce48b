import { type Transaction, type TransactionColumn, type TransactionFormat, transaction } from '@cobro/contracts'
import { zonedTimes } from '@cobro/contracts/zoned-days'
import { csvLine } from '@cobro/http'
import { z } from 'zod'

/** How an export is written: what it begins with, and the lines of transactions. */
export interface TransactionLines {
  header: string
  linesOf: (rows: readonly Transaction[]) => string
}

/** Returns how transactions are written in a format. Lines of NDJSON are the rows of the list. */
export function transactionLines(format: TransactionFormat): TransactionLines {
  if (format.format === 'ndjson') {
    const line = (row: Transaction) => `${JSON.stringify(z.encode(transaction, row))}\n`
    return { header: '', linesOf: rows => rows.map(line).join('') }
  }
  const { columns, tz } = format
  const times = zonedTimes(tz)
  const line = (row: Transaction) => csvLine(columns.map(column => fieldOf(row, column, times)))
  return { header: csvLine(columns), linesOf: rows => rows.map(line).join('') }
}

function fieldOf(row: Transaction, column: TransactionColumn, times: (at: Date) => string): unknown {
  switch (column) {
    case 'amount':
      return decimal(row.amount_cents)
    case 'fee':
      return decimal(row.fee_cents)
    case 'card_brand':
      return row.card?.brand
    case 'card_last4':
      return row.card?.last4
    default: {
      const value = row[column]
      return value instanceof Date ? times(value) : value
    }
  }
}

/** Every currency that is accepted has two decimals. */
function decimal(cents: number): string {
  return `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, '0')}`
}
