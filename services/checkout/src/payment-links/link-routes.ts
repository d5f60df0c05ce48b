import { linkOperations, paymentLinks, publicLinkOperations } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { crud, type Route, route } from '@cobro/http'
import { cancelLink } from '../cancellation/cancel-payable.ts'
import type { CreationRules } from '../payables/creation-rules.ts'
import { LinkEntity } from '../payables/link-entity.ts'
import { payableRows } from '../payables/payable-rows.ts'
import { openLink } from './open-link.ts'
import { showPublicLink } from './show-public-link.ts'
import { updateLink } from './update-link.ts'

/** The merchant's operations on payment links, for systems and dashboard, and the public read. */
export function linkRoutes(deps: { db: Database; rules: CreationRules }): Route[] {
  const { db } = deps
  const { create, read, cancel } = linkOperations
  const rows = payableRows(db, LinkEntity, paymentLinks.search)
  const dashboard = crud(paymentLinks, {
    ...rows,
    create: (caller, input) => openLink(deps, caller, input),
    update: (caller, id, input) => updateLink(db, caller, id, input),
    remove: async (caller, id) => void (await cancelLink(db, caller, id)),
  })
  return [
    route(create, async ({ caller, body }) => {
      const link = await openLink(deps, caller, body)
      return { data: link, url: link.url }
    }),
    route(read, async ({ caller, params }) => ({ data: await rows.get(caller, params.id) })),
    route(cancel, async ({ caller, params }) => ({ data: await cancelLink(db, caller, params.id) })),
    route(publicLinkOperations.read, ({ params }) => showPublicLink(db, params.id)),
    ...Object.values(dashboard),
  ]
}
