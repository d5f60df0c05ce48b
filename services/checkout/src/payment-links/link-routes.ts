import { linkOperations, paymentLinks, publicLinkOperations } from '@cobro/contracts'
import { type Database, getRow, listRows } from '@cobro/database'
import { crud, type Route, route } from '@cobro/http'
import { cancelPayable } from '../cancellation/cancel-payable.ts'
import type { CreationRules } from '../payables/creation-rules.ts'
import { LinkEntity } from '../payables/link-entity.ts'
import { openLink } from './open-link.ts'
import { showPublicLink } from './show-public-link.ts'
import { updateLink } from './update-link.ts'

/** The merchant's side of payment links, for its systems and its dashboard, and what is public of a link. */
export function linkRoutes(deps: { db: Database; rules: CreationRules }): Route[] {
  const { db } = deps
  const { create, read, cancel } = linkOperations
  const dashboard = crud(paymentLinks, {
    list: (caller, query) => db.read(em => listRows(em, LinkEntity, caller, query, paymentLinks)),
    get: (caller, id) => db.read(em => getRow(em, LinkEntity, caller, id)),
    create: (caller, input) => openLink(deps, caller, input),
    update: (caller, id, input) => updateLink(db, caller, id, input),
    remove: async (caller, id) => void (await cancelPayable(db, LinkEntity, caller, id)),
  })
  return [
    route(create, async ({ caller, body }) => {
      const link = await openLink(deps, caller, body)
      return { data: link, url: link.url }
    }),
    route(read, async ({ caller, params }) => ({
      data: await db.read(em => getRow(em, LinkEntity, caller, params.id)),
    })),
    route(cancel, async ({ caller, params }) => ({ data: await cancelPayable(db, LinkEntity, caller, params.id) })),
    route(publicLinkOperations.read, ({ params }) => showPublicLink(db, params.id)),
    ...Object.values(dashboard),
  ]
}
