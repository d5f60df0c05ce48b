import { transactionOperations } from '@cobro/contracts'
import { type Database, getRow, listRows, scopeOf } from '@cobro/database'
import { type Route, route } from '@cobro/http'
import { TransactionEntity } from './transaction-entity.ts'

const search = ['id', 'reference', 'payer_email', 'order_id', 'customer_ref']

export function transactionRoutes({ db }: { db: Database }): Route[] {
  return [
    route(
      transactionOperations.list,
      ({ caller, query }) =>
        db.read(em =>
          listRows(em, TransactionEntity, caller, query, { search, scope: { ...scopeOf(caller), deleted_at: null } }),
        ) as never,
    ),
    route(transactionOperations.read, async ({ caller, params }) => {
      const data = await db.read(em => getRow(em, TransactionEntity, caller, params.id))
      return { data } as never
    }),
  ]
}
