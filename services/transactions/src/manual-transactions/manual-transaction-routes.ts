import { transactionOperations } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { type Route, route } from '@cobro/http'
import { deleteTransaction } from './delete-transaction.ts'
import { enterTransaction } from './enter-transaction.ts'

export function manualTransactionRoutes({ db }: { db: Database }): Route[] {
  return [
    route(transactionOperations.create, async ({ caller, body }) => {
      return { data: await enterTransaction(db, caller, body) }
    }),
    route(transactionOperations.delete, async ({ caller, params: { id } }) => {
      await deleteTransaction(db, caller, id)
      return { data: { id, deleted: true as const } }
    }),
  ]
}
