import { transactionOperations } from '@cobro/contracts'
import { page, type Route, route, sendExport } from '@cobro/http'
import { concurrencyLimit, limitedTogether } from '@cobro/service'
import { deleteTransaction } from './manual-transactions/delete-transaction.ts'
import { enterTransaction } from './manual-transactions/enter-transaction.ts'
import { type RefundDeps, refundTransaction } from './refunds/refund-transaction.ts'
import { editTransaction } from './transactions/edit-transaction.ts'
import { exportTransactions } from './transactions/export-transactions.ts'
import { getTransaction } from './transactions/get-transaction.ts'
import { searchTransactions } from './transactions/transaction-search.ts'

export function transactionRoutes(deps: RefundDeps): Route[] {
  const { db, logger } = deps
  // Exports share the process and the connections of the database with charges.
  const limitExports = concurrencyLimit({ perCaller: 2, inTotal: 8, what: 'exports at once' })
  return [
    route(transactionOperations.list, ({ caller, query }) => searchTransactions(db, caller, query)),
    page(transactionOperations.export, ({ caller, query }, response) =>
      limitExports(limitedTogether(caller), async () => {
        const { count, lines } = await exportTransactions(db, caller, query)
        const headers = { 'X-Total-Count': String(count) }
        await sendExport(response, { name: 'transactions', format: query.format, lines, headers }, logger)
      }),
    ),
    route(transactionOperations.read, async ({ caller, params }) => {
      return { data: await getTransaction(db, caller, params.id) }
    }),
    route(transactionOperations.create, async ({ caller, body }) => {
      return { data: await enterTransaction(db, caller, body) }
    }),
    route(transactionOperations.update, async ({ caller, params, body }) => {
      return { data: await editTransaction(db, caller, params.id, body) }
    }),
    route(transactionOperations.delete, async ({ caller, params: { id } }) => {
      await deleteTransaction(db, caller, id)
      return { data: { id, deleted: true as const } }
    }),
    route(transactionOperations.refund, async ({ caller, params }) => {
      return { data: await refundTransaction(deps, caller, params.id) }
    }),
  ]
}
