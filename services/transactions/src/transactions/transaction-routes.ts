import { transactionOperations } from '@cobro/contracts'
import { type Database, getRow } from '@cobro/database'
import { type Route, route } from '@cobro/http'
import type { Logger } from '@cobro/runtime'
import { refundTransaction } from '../refunds/refund-transaction.ts'
import { deleteTransaction } from './delete-transaction.ts'
import { editTransaction } from './edit-transaction.ts'
import { enterTransaction } from './enter-transaction.ts'
import { listTransactions } from './list-transactions.ts'
import { TransactionEntity } from './transaction-entity.ts'

export function transactionRoutes({ db, logger }: { db: Database; logger: Logger }): Route[] {
  return [
    route(transactionOperations.list, ({ caller, query }) => listTransactions(db, caller, query)),
    route(transactionOperations.read, async ({ caller, params }) => {
      const data = await db.read(em => getRow(em, TransactionEntity, caller, params.id))
      const { fee_parts = null, ...shown } = data
      return { data: caller.kind === 'operator' ? { ...shown, fee_parts } : shown }
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
      return { data: await refundTransaction({ db, logger }, caller, params.id) }
    }),
  ]
}
