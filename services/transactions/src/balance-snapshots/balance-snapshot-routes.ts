import { balanceSnapshots } from '@cobro/contracts'
import { type Database, merchantOf, tenantRows } from '@cobro/database'
import { crud, type Route } from '@cobro/http'
import { lockBook } from '../ledger/ledger-books.ts'
import { BalanceSnapshotEntity } from './balance-snapshot-entity.ts'
import { takeSnapshot } from './take-snapshot.ts'

const events = {
  created: 'balance_snapshot.created',
  updated: 'balance_snapshot.updated',
  deleted: 'balance_snapshot.deleted',
} as const

export function balanceSnapshotRoutes({ db }: { db: Database }): Route[] {
  return Object.values(
    crud(balanceSnapshots, {
      ...tenantRows(db, { resource: balanceSnapshots, entity: BalanceSnapshotEntity, events }),
      create: (caller, input) => {
        const { currency, note = null } = input as { currency: string; note?: string | null }
        const book = { merchant_id: merchantOf(caller), currency }
        return db.write(async (tx, emit) => {
          await lockBook({ tx, book })
          return takeSnapshot({ tx, emit, schema: db.schema, book, note })
        })
      },
    }),
  )
}
