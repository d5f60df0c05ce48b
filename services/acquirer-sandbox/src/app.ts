import { chargeBody, refundBody, tokenBody, voucherBody } from '@cobro/acquirer'
import { addHealth, bareApp, finishApp, logCalls, maxBodyBytes } from '@cobro/http'
import type { Secret } from '@cobro/runtime'
import express, { type Express } from 'express'
import { z } from 'zod'
import { answerCharge, type ChargeDeps } from './charges/answer-charge.ts'
import { findCharge } from './charges/find-charge.ts'
import { reverseCharge } from './charges/reverse-charge.ts'
import { endDispute } from './disputes/end-dispute.ts'
import { type KeyPairDeps, listPublicKeys } from './key-pairs/key-pairs.ts'
import { bodyOf, idempotencyKeyOf, keyInPath, segmentOf } from './read-request.ts'
import { findRefund, reverseRefund } from './refunds/find-refund.ts'
import { type TakeRefundDeps, takeRefund } from './refunds/take-refund.ts'
import { requireApiKey } from './require-api-key.ts'
import { tokenizeCard } from './tokens/tokenize-card.ts'
import { findVoucher, withdrawVoucher } from './vouchers/find-voucher.ts'
import { issueVoucher } from './vouchers/issue-voucher.ts'
import { payVoucher } from './vouchers/pay-voucher.ts'

interface AppDeps extends ChargeDeps, TakeRefundDeps, KeyPairDeps {
  apiKey: Secret
  ready: () => Promise<void>
  isUnavailable: (error: unknown) => boolean
}

const noBody = z.strictObject({}).optional()
const disputeEnd = z.strictObject({ outcome: z.enum(['won', 'lost']) })

/** The sandbox acquirer's HTTP side: a stranger's system, so its routes are its own and not Cobro's operations. */
export function acquirerSandboxApp(deps: AppDeps): Express {
  const app = bareApp()
  addHealth(app, deps.ready, deps.logger)
  app.use(logCalls(deps.logger))
  app.use('/v1', requireApiKey(deps.apiKey), express.raw({ type: () => true, limit: maxBodyBytes, inflate: false }))
  addCards(app, deps)
  addRefunds(app, deps)
  addVouchers(app, deps)
  addSandboxControls(app, deps)
  finishApp(app, deps)
  return app
}

function addCards(app: Express, deps: AppDeps): void {
  app.get('/v1/encryption-keys', async (_request, response) => {
    response.json({ keys: await listPublicKeys(deps, 'enc') })
  })
  app.post('/v1/tokens', async (request, response) => {
    response.status(201).json(await tokenizeCard(deps, bodyOf(request, tokenBody).card_jwe))
  })
  app.post('/v1/charges', async (request, response) => {
    await answerCharge(deps, { key: idempotencyKeyOf(request), ...bodyOf(request, chargeBody) }, response)
  })
  app.get('/v1/charges/:key', async (request, response) => {
    response.json(await findCharge(deps, keyInPath(request)))
  })
  app.post('/v1/charges/:key/reverse', async (request, response) => {
    bodyOf(request, noBody)
    response.json(await reverseCharge(deps, keyInPath(request)))
  })
}

function addRefunds(app: Express, deps: AppDeps): void {
  app.post('/v1/refunds', async (request, response) => {
    response.json(await takeRefund(deps, { key: idempotencyKeyOf(request), ...bodyOf(request, refundBody) }))
  })
  app.get('/v1/refunds/:key', async (request, response) => {
    response.json(await findRefund(deps, keyInPath(request)))
  })
  app.post('/v1/refunds/:key/reverse', async (request, response) => {
    bodyOf(request, noBody)
    response.json(await reverseRefund(deps, keyInPath(request)))
  })
}

function addVouchers(app: Express, deps: AppDeps): void {
  app.post('/v1/vouchers', async (request, response) => {
    response.json(await issueVoucher(deps, { key: idempotencyKeyOf(request), ...bodyOf(request, voucherBody) }))
  })
  app.get('/v1/vouchers/:key', async (request, response) => {
    response.json(await findVoucher(deps, keyInPath(request)))
  })
  app.post('/v1/vouchers/:key/withdraw', async (request, response) => {
    bodyOf(request, noBody)
    response.json(await withdrawVoucher(deps, keyInPath(request)))
  })
}

/** What an acquirer tells by itself, and what in a sandbox somebody has to set off. */
function addSandboxControls(app: Express, deps: AppDeps): void {
  app.get('/v1/notification-keys', async (_request, response) => {
    response.json({ keys: await listPublicKeys(deps, 'sig') })
  })
  app.post('/v1/sandbox/vouchers/:reference/pay', async (request, response) => {
    bodyOf(request, noBody)
    response.json(await payVoucher(deps, segmentOf(request, 'reference')))
  })
  app.post('/v1/sandbox/disputes/:reference/close', async (request, response) => {
    const { outcome } = bodyOf(request, disputeEnd)
    response.json(await endDispute(deps, { reference: segmentOf(request, 'reference'), outcome }))
  })
}
