import { hostedOperations, isId } from '@cobro/contracts'
import { type Call, page, type Route, reply, route, tellGateway } from '@cobro/http'
import { updateCallContext } from '@cobro/runtime'
import type { Response } from 'express'
import { cancelForPayer } from '../cancellation/cancel-payable.ts'
import { isLink, payableEntity } from '../payables/payable.ts'
import { type PayDeps, payPayable } from '../payment-attempts/pay-payable.ts'
import type { PageFiles } from './page-files.ts'
import { pageSecurityHeaders } from './page-security-headers.ts'
import type { PayerStreams } from './payer-streams.ts'
import { type PayerViewDeps, readPayerView, viewPayable } from './payer-view.ts'

type PayCall = Pick<Call<typeof hostedOperations.pay>, 'params' | 'body' | 'idempotencyId'>
type ById = { params: { id: string } }

/** The payer's side: the page, what it shows, and the payment. Knowing an id is what lets one in. */
export function hostedRoutes(deps: PayDeps & PayerViewDeps & { files: PageFiles; streams: PayerStreams }): Route[] {
  const {
    page: checkoutPage,
    linkPage,
    asset,
    read,
    readLink,
    stream,
    streamLink,
    pay,
    payLink,
    cancel,
  } = hostedOperations
  const showPage =
    (prefix: 'cs' | 'pl') =>
    ({ params }: ById, response: Response) =>
      sendPage(deps, isId(prefix, params.id) ? params.id : undefined, response)
  const show = async ({ params }: ById) => ({ data: await viewPayable(deps, params.id) })
  const follow = ({ params }: ById, response: Response) => deps.streams.follow(params.id, response)
  const payById = async ({ params, body, idempotencyId }: PayCall) => {
    const answer = await payPayable(deps, params.id, { ...body, idempotencyId })
    return answer.status === 'pending' ? reply(202, answer) : answer
  }
  return [
    page(checkoutPage, showPage('cs')),
    page(linkPage, showPage('pl')),
    page(asset, async ({ params }, response) => {
      const { bytes, type } = await deps.files.asset(params.file)
      response.set({
        'Content-Type': type,
        'Cache-Control': 'public, max-age=31536000, immutable',
        'X-Content-Type-Options': 'nosniff',
      })
      response.send(bytes)
    }),
    route(read, show),
    route(readLink, show),
    page(stream, follow),
    page(streamLink, follow),
    route(pay, payById),
    route(payLink, payById),
    route(cancel, async ({ params }) => {
      await cancelForPayer(deps.db, params.id)
      return { data: await readPayerView(deps, params.id) }
    }),
  ]
}

/** The page is the same for what does not exist: it asks, is told 404 and says so in the payer's language. */
async function sendPage(
  { db, files }: { db: PayerViewDeps['db']; files: PageFiles },
  id: string | undefined,
  response: Response,
): Promise<void> {
  const payable = id === undefined ? null : await db.read(em => em.findOne(payableEntity(id), { id }))
  if (payable) updateCallContext(payable)
  tellGateway(response)
  const logo = payable && !isLink(payable) ? payable.ui_config?.logo_url : undefined
  response
    .status(payable ? 200 : 404)
    .set(pageSecurityHeaders(logo))
    .send(files.index)
}
