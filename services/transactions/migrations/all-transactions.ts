// Generated from the files of this folder by npm run generate. Do not edit.
import { transactionTables } from './0001-transactions.ts'
import { transactionKeys } from './0002-transactions-idempotency.ts'
import { cashNoticesRefunds } from './0003-cash-notices-refunds.ts'
import { ledgerTables } from './0004-ledger.ts'
import { transactionSearch } from './0005-transaction-search.ts'
import { transactionCounts } from './0006-transaction-counts.ts'
import { disputeNews } from './0007-dispute-news.ts'
import { reserveOfPositions } from './0008-reserve-of-positions.ts'
import { failedBooks } from './0009-failed-books.ts'
import { refundTraces } from './0010-refund-traces.ts'
import { countsOfAll } from './0011-counts-of-all.ts'
import { refundsInHand } from './0012-refunds-in-hand.ts'
import { transactionsForOperators } from './0013-transactions-for-operators.ts'
import { searchOfMany } from './0014-search-of-many.ts'
import { countsInOnePass } from './0015-counts-in-one-pass.ts'

/** The history of the schema, oldest first. */
export const migrations = [
  transactionTables,
  transactionKeys,
  cashNoticesRefunds,
  ledgerTables,
  transactionSearch,
  transactionCounts,
  disputeNews,
  reserveOfPositions,
  failedBooks,
  refundTraces,
  countsOfAll,
  refundsInHand,
  transactionsForOperators,
  searchOfMany,
  countsInOnePass,
]
