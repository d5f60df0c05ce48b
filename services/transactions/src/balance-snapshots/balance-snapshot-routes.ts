import { balanceSnapshots } from '@cobro/contracts'
import { type Database, tenantRows } from '@cobro/database'
import { crud, type Route } from '@cobro/http'
import { BalanceSnapshotEntity } from './balance-snapshot-entity.ts'
import { takeSnapshotNow } from './take-snapshot.ts'

const events = {
  created: 'balance_snapshot.created',
  updated: 'balance_snapshot.updated',
  deleted: 'balance_snapshot.deleted',
} as const

export function balanceSnapshotRoutes({ db }: { db: Database }): Route[] {
  return Object.values(
    crud(balanceSnapshots, {
      ...tenantRows(db, { resource: balanceSnapshots, entity: BalanceSnapshotEntity, events }),
      create: (caller, input) => takeSnapshotNow(db, caller, input),
    }),
  )
}
