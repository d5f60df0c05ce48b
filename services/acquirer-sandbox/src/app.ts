import { chargeBody, disputeOutcomes, refundBody, tokenBody, voucherBody } from '@cobro/acquirer'
import { defaultBodyKib } from '@cobro/contracts'
import { type Mounted, mountOperations, rawBody } from '@cobro/http'
import type { Secret } from '@cobro/runtime'
import type { Express, Request, RequestHandler } from 'express'
import { z } from 'zod'
import { findCharge, reverseCharge } from './charges/find-charge.ts'
import { type ChargeDeps, respondToCharge } from './charges/respond-to-charge.ts'
import { closeSandboxDispute } from './disputes/close-sandbox-dispute.ts'
import { type KeyPairDeps, listPublicKeys } from './key-pairs/key-pairs.ts'
import { bodylessSegmentOf, bodyOf, keyedBodyOf, segmentOf } from './parse-request.ts'
import { type CreateRefundDeps, createRefund } from './refunds/create-refund.ts'
import { findRefund, reverseRefund } from './refunds/find-refund.ts'
import { requireApiKey } from './require-api-key.ts'
import { listTestCards } from './tokens/card-behaviors.ts'
import { tokenizeCard } from './tokens/tokenize-card.ts'
import { findVoucher, withdrawVoucher } from './vouchers/find-voucher.ts'
import { issueVoucher } from './vouchers/issue-voucher.ts'
import { payVoucher } from './vouchers/pay-voucher.ts'

interface AppDeps extends ChargeDeps, CreateRefundDeps, KeyPairDeps {
  apiKey: Secret
}

const closeDisputeBody = z.strictObject({ outcome: z.enum(disputeOutcomes) })

/** Adds the sandbox's routes: a stand-in for a third party's API, no operations of Cobro. */
export function addSandboxRoutes(app: Express, deps: AppDeps): void {
  app.use('/v1', requireApiKey(deps.apiKey), rawBody(defaultBodyKib))
  mountOperations(app, [...cardRoutes(deps), ...refundAndVoucherRoutes(deps), ...sandboxControls(deps)])
}

type Path = Mounted[0]['path']
type Respond = (request: Request) => Promise<unknown>

const get = (path: Path, respond: Respond): Mounted => [{ method: 'GET', path }, jsonHandler(respond)]
const post = (path: Path, respond: Respond): Mounted => [{ method: 'POST', path }, jsonHandler(respond)]

/** Returns a handler that responds with the returned object as JSON. */
function jsonHandler(respond: Respond): RequestHandler {
  return async (request, response) => void response.json(await respond(request))
}

function cardRoutes(deps: AppDeps): Mounted[] {
  return [
    get('/v1/encryption-keys', async () => ({ keys: await listPublicKeys(deps, 'enc') })),
    [
      { method: 'POST', path: '/v1/tokens' },
      async (request, response) => void response.status(201).json(await tokenizeCard(deps, bodyOf(request, tokenBody))),
    ],
    [
      { method: 'POST', path: '/v1/charges' },
      (request, response) => respondToCharge(deps, keyedBodyOf(request, chargeBody), response),
    ],
    get('/v1/charges/:key', request => findCharge(deps, segmentOf(request, 'key'))),
    post('/v1/charges/:key/reverse', request => reverseCharge(deps, bodylessSegmentOf(request, 'key'))),
  ]
}

function refundAndVoucherRoutes(deps: AppDeps): Mounted[] {
  return [
    post('/v1/refunds', request => createRefund(deps, keyedBodyOf(request, refundBody))),
    get('/v1/refunds/:key', request => findRefund(deps, segmentOf(request, 'key'))),
    post('/v1/refunds/:key/reverse', request => reverseRefund(deps, bodylessSegmentOf(request, 'key'))),
    post('/v1/vouchers', request => issueVoucher(deps, keyedBodyOf(request, voucherBody))),
    get('/v1/vouchers/:key', request => findVoucher(deps, segmentOf(request, 'key'))),
    post('/v1/vouchers/:key/withdraw', request => withdrawVoucher(deps, bodylessSegmentOf(request, 'key'))),
  ]
}

/** The keys that verify notifications, and the controls that only a sandbox has. */
function sandboxControls(deps: AppDeps): Mounted[] {
  return [
    get('/v1/notification-keys', async () => ({ keys: await listPublicKeys(deps, 'sig') })),
    get('/v1/sandbox/test-cards', async () => ({ cards: listTestCards() })),
    post('/v1/sandbox/vouchers/:reference/pay', request => payVoucher(deps, bodylessSegmentOf(request, 'reference'))),
    post('/v1/sandbox/disputes/:reference/close', async request => {
      const { outcome } = bodyOf(request, closeDisputeBody)
      return closeSandboxDispute(deps, { reference: segmentOf(request, 'reference'), outcome })
    }),
  ]
}
