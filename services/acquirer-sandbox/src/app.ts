import { chargeBody, refundBody, tokenBody, voucherBody } from '@cobro/acquirer'
import { addHealth, bareApp, finishApp, logCalls, maxBodyBytes } from '@cobro/http'
import type { Secret } from '@cobro/runtime'
import express, { type Express } from 'express'
import { z } from 'zod'
import { findCharge } from './charges/find-charge.ts'
import { type ChargeDeps, respondToCharge } from './charges/respond-to-charge.ts'
import { reverseCharge } from './charges/reverse-charge.ts'
import { closeDispute } from './disputes/close-sandbox-dispute.ts'
import { type KeyPairDeps, listPublicKeys } from './key-pairs/key-pairs.ts'
import { bodyOf, idempotencyKeyOf, pathKey, pathSegment } from './parse-request.ts'
import { type CreateRefundDeps, createRefund } from './refunds/create-refund.ts'
import { findRefund, reverseRefund } from './refunds/find-refund.ts'
import { requireApiKey } from './require-api-key.ts'
import { tokenizeCard } from './tokens/tokenize-card.ts'
import { findVoucher, withdrawVoucher } from './vouchers/find-voucher.ts'
import { issueVoucher } from './vouchers/issue-voucher.ts'
import { payVoucher } from './vouchers/pay-voucher.ts'

interface AppDeps extends ChargeDeps, CreateRefundDeps, KeyPairDeps {
  apiKey: Secret
  ready: () => Promise<void>
  isUnavailable: (error: unknown) => boolean
}

const emptyBody = z.strictObject({}).optional()
const closeDisputeBody = z.strictObject({ outcome: z.enum(['won', 'lost']) })

/** The HTTP API of the sandbox acquirer. It stands for a third party's system, so its routes are no operations of Cobro. */
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
    await respondToCharge(deps, { key: idempotencyKeyOf(request), ...bodyOf(request, chargeBody) }, response)
  })
  app.get('/v1/charges/:key', async (request, response) => {
    response.json(await findCharge(deps, pathKey(request)))
  })
  app.post('/v1/charges/:key/reverse', async (request, response) => {
    bodyOf(request, emptyBody)
    response.json(await reverseCharge(deps, pathKey(request)))
  })
}

function addRefunds(app: Express, deps: AppDeps): void {
  app.post('/v1/refunds', async (request, response) => {
    response.json(await createRefund(deps, { key: idempotencyKeyOf(request), ...bodyOf(request, refundBody) }))
  })
  app.get('/v1/refunds/:key', async (request, response) => {
    response.json(await findRefund(deps, pathKey(request)))
  })
  app.post('/v1/refunds/:key/reverse', async (request, response) => {
    bodyOf(request, emptyBody)
    response.json(await reverseRefund(deps, pathKey(request)))
  })
}

function addVouchers(app: Express, deps: AppDeps): void {
  app.post('/v1/vouchers', async (request, response) => {
    response.json(await issueVoucher(deps, { key: idempotencyKeyOf(request), ...bodyOf(request, voucherBody) }))
  })
  app.get('/v1/vouchers/:key', async (request, response) => {
    response.json(await findVoucher(deps, pathKey(request)))
  })
  app.post('/v1/vouchers/:key/withdraw', async (request, response) => {
    bodyOf(request, emptyBody)
    response.json(await withdrawVoucher(deps, pathKey(request)))
  })
}

/** Adds the keys that verify notifications, and the controls that only a sandbox has. */
function addSandboxControls(app: Express, deps: AppDeps): void {
  app.get('/v1/notification-keys', async (_request, response) => {
    response.json({ keys: await listPublicKeys(deps, 'sig') })
  })
  app.post('/v1/sandbox/vouchers/:reference/pay', async (request, response) => {
    bodyOf(request, emptyBody)
    response.json(await payVoucher(deps, pathSegment(request, 'reference')))
  })
  app.post('/v1/sandbox/disputes/:reference/close', async (request, response) => {
    const { outcome } = bodyOf(request, closeDisputeBody)
    response.json(await closeDispute(deps, { reference: pathSegment(request, 'reference'), outcome }))
  })
}
