import { chargeBody, tokenBody } from '@cobro/acquirer'
import { addHealth, bareApp, finishApp, maxBodyBytes } from '@cobro/http'
import express, { type Express } from 'express'
import { answerCharge, type ChargeDeps } from './charges/answer-charge.ts'
import { findCharge } from './charges/find-charge.ts'
import { reverseCharge } from './charges/reverse-charge.ts'
import { type EncryptionKeyDeps, listEncryptionKeys } from './encryption-keys/list-encryption-keys.ts'
import { bodyOf, idempotencyKeyOf, keyInPath } from './read-request.ts'
import { requireApiKey } from './require-api-key.ts'
import { tokenizeCard } from './tokens/tokenize-card.ts'

interface AppDeps extends ChargeDeps, EncryptionKeyDeps {
  apiKey: string
  ready: () => Promise<void>
  isAway: (error: unknown) => boolean
}

/** The sandbox acquirer's HTTP side: a stranger's system, so its routes are its own and not Cobro's operations. */
export function acquirerSandboxApp(deps: AppDeps): Express {
  const app = bareApp()
  addHealth(app, deps.ready, deps.logger)
  app.use('/v1', requireApiKey(deps.apiKey), express.raw({ type: () => true, limit: maxBodyBytes, inflate: false }))

  app.get('/v1/encryption-keys', async (_request, response) => {
    response.json({ keys: await listEncryptionKeys(deps) })
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
    response.json(await reverseCharge(deps, keyInPath(request)))
  })

  finishApp(app, deps)
  return app
}
