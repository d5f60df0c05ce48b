import { paymentBlockOperations } from '@cobro/contracts'
import { type Database, readableRows } from '@cobro/database'
import { type Route, route } from '@cobro/http'
import { liftBlock } from './lift-block.ts'
import { PaymentBlockEntity } from './payment-block-entity.ts'

/** What operators do about blocked payments. */
export function paymentBlockRoutes({ db }: { db: Database }): Route[] {
  const { list, read, lift } = paymentBlockOperations
  const rows = readableRows(db, PaymentBlockEntity, { search: [] })
  return [
    route(list, ({ caller, query }) => rows.list(caller, query)),
    route(read, async ({ caller, params }) => ({ data: await rows.get(caller, params.id) })),
    route(lift, async ({ caller, params }) => ({ data: await liftBlock(db, caller, params.id) })),
  ]
}
