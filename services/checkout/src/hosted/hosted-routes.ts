import { hostedOperations } from '@cobro/contracts'
import { type Call, page, type Route, reply, route } from '@cobro/http'
import type { Response } from 'express'
import { cancelForPayer } from '../cancellation/cancel-payable.ts'
import { type PayDeps, payPayable } from '../payment-attempts/pay-payable.ts'
import type { PageFiles } from './page-files.ts'
import type { PayerStreams } from './payer-streams.ts'
import { type PayerViewDeps, readPayerView, viewPayable } from './payer-view.ts'
import { sendHostedPage } from './send-hosted-page.ts'

type PayCall = Pick<Call<typeof hostedOperations.pay>, 'params' | 'body' | 'idempotencyId'>
type ById = { params: { id: string } }

/** The payer's operations: the page, its data, and the payment. Knowing the id of a session or link authorizes a payer. */
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
  const view = async ({ params }: ById) => ({ data: await viewPayable(deps, params.id) })
  const follow = ({ params }: ById, response: Response) => deps.streams.follow(params.id, response)
  const payById = async ({ params, body, idempotencyId }: PayCall) => {
    const answer = await payPayable(deps, params.id, { ...body, idempotencyId })
    return answer.status === 'pending' ? reply(202, answer) : answer
  }
  return [
    page(checkoutPage, ({ params }, response) => sendHostedPage(deps, 'cs', params.id, response)),
    page(linkPage, ({ params }, response) => sendHostedPage(deps, 'pl', params.id, response)),
    page(asset, ({ params }, response) => deps.files.sendAsset(params.file, response)),
    route(read, view),
    route(readLink, view),
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
