import { hostedOperations, isId } from '@cobro/contracts'
import { page, type Route, reply, route } from '@cobro/http'
import { cancelHostedSession } from '../checkout-sessions/cancel-session.ts'
import { SessionEntity } from '../checkout-sessions/session-entity.ts'
import { type PayDeps, paySession } from '../payment-attempts/pay-session.ts'
import type { PageFiles } from './page-files.ts'
import { pageHeaders } from './page-headers.ts'
import { type ShowDeps, showSession } from './show-session.ts'

/** The payer's side: the page, what it shows, and the payment. Knowing a session's id is what lets one in. */
export function hostedRoutes(deps: PayDeps & ShowDeps & { files: PageFiles }): Route[] {
  const { page: checkoutPage, asset, read, pay, cancel } = hostedOperations
  return [
    page(checkoutPage, async ({ params: { id } }, response) => {
      const session = isId('cs', id) ? await deps.db.read(em => em.findOne(SessionEntity, { id })) : null
      // The page is the same for an unknown session: it asks, is told 404 and says so in the payer's language.
      response
        .status(session ? 200 : 404)
        .set(pageHeaders(session?.ui_config?.logo_url))
        .send(deps.files.index)
    }),
    page(asset, async ({ params }, response) => {
      const { bytes, type } = await deps.files.asset(params.file)
      response.set({
        'Content-Type': type,
        'Cache-Control': 'public, max-age=31536000, immutable',
        'X-Content-Type-Options': 'nosniff',
      })
      response.send(bytes)
    }),
    route(read, async ({ params }) => ({ data: await showSession(deps, params.id) })),
    route(pay, async ({ params, body, idempotencyId }) => {
      const answer = await paySession(deps, params.id, { ...body, idempotencyId })
      return answer.status === 'pending' ? reply(202, answer) : answer
    }),
    route(cancel, async ({ params }) => {
      await cancelHostedSession(deps.db, params.id)
      return { data: await showSession(deps, params.id) }
    }),
  ]
}
