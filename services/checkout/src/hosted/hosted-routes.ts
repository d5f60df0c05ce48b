import { hostedOperations as operations, type PayableId } from '@cobro/contracts'
import { type Call, clientAddressOf, page, type Route, route } from '@cobro/http'
import type { Response } from 'express'
import { cancelForPayer } from '../cancellation/cancel-payable.ts'
import { type PayDeps, payPayable } from '../payment-attempts/pay-payable.ts'
import type { PageFiles } from './page-files.ts'
import type { PayerStreams } from './payer-streams.ts'
import { type PayerViewDeps, readPayerView, viewPayable } from './payer-view.ts'
import { sendHostedPage } from './send-hosted-page.ts'

type ById = { params: { id: PayableId } }
type PayCall = ById & Pick<Call<typeof operations.pay>, 'body' | 'idempotencyId' | 'request'>

type HostedDeps = PayDeps & PayerViewDeps & { files: PageFiles; streams: PayerStreams; rules: { hostedUrl: string } }

/** The payer's operations: the page, its data and the payment. Knowing an id authorizes a payer. */
export function hostedRoutes(deps: HostedDeps): Route[] {
  const view = async ({ params }: ById) => ({ data: await viewPayable(deps, params.id) })
  const follow = ({ params }: ById, response: Response) => deps.streams.follow(params.id, response)
  const payById = ({ params, body, idempotencyId, request }: PayCall) =>
    payPayable(deps, params.id, { ...body, idempotencyId, address: clientAddressOf(request) })
  return [
    page(operations.page, ({ params }, response) => sendHostedPage(deps, 'cs', params.id, response)),
    page(operations.linkPage, ({ params }, response) => sendHostedPage(deps, 'pl', params.id, response)),
    page(operations.asset, ({ params }, response) => deps.files.sendAsset(params.file, response)),
    route(operations.read, view),
    route(operations.readLink, view),
    page(operations.stream, follow),
    page(operations.streamLink, follow),
    route(operations.pay, payById),
    route(operations.payLink, payById),
    route(operations.cancel, async ({ params }) => {
      await cancelForPayer(deps.db, params.id)
      return { data: await readPayerView(deps, params.id) }
    }),
  ]
}
