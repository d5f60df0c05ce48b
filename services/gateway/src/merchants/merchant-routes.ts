import { merchants } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { type Route, route } from '@cobro/http'
import { createMerchant, type MerchantRules } from './create-merchant.ts'
import { deleteMerchant } from './delete-merchant.ts'
import { getMerchant, listMerchants } from './read-merchants.ts'
import { updateMerchant } from './update-merchant.ts'

export function merchantRoutes(deps: { db: Database; rules: MerchantRules }): Route[] {
  const { db } = deps
  const { operations } = merchants
  return [
    route(operations.create, async ({ body }) => ({ data: await createMerchant(deps, body) })),
    route(operations.list, ({ caller, query }) => listMerchants(db, caller, query)),
    route(operations.read, async ({ caller, params }) => ({ data: await getMerchant(db, caller, params.id) })),
    route(operations.update, async ({ caller, params, body }) => ({
      data: await updateMerchant(deps, caller, { id: params.id, change: body }),
    })),
    route(operations.delete, async ({ caller, params }) => {
      await deleteMerchant(db, caller, params.id)
      return { data: { id: params.id, deleted: true as const } }
    }),
  ]
}
