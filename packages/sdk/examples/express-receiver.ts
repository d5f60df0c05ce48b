import { verifyWebhook, type WebhookEvent, WebhookVerificationError } from '@cobro/sdk/webhooks'
import express, { type ErrorRequestHandler } from 'express'

const { COBRO_WEBHOOK_SECRET = '', PORT = '4100' } = process.env
const app = express()

// Use `express.raw` on this route, before any `express.json()`: the signature covers the received bytes.
app.post('/webhooks', express.raw({ type: '*/*', limit: '1mb' }), async (request, response) => {
  // An empty request has no body.
  await handleOnce(await verifyWebhook(request.body ?? '', request.headers, COBRO_WEBHOOK_SECRET))
  response.sendStatus(204)
})

// The same event can arrive more than once with the same id, also twice at a time: take the id before any `await`.
// In production, insert it in the transaction that handles the event, into a column with a unique key.
const handled = new Set<string>()
async function handleOnce({ id, event, data }: WebhookEvent): Promise<void> {
  if (handled.has(id)) return
  handled.add(id)
  try {
    if (event === 'payment.approved') process.stdout.write(`paid: ${data.id}\n`)
  } catch (error) {
    handled.delete(id)
    throw error
  }
}

const rejectWebhook: ErrorRequestHandler = (error, _request, response, _next) => {
  response.sendStatus(error instanceof WebhookVerificationError ? 400 : (error.status ?? 500))
}
app.use(rejectWebhook)
app.listen(Number(PORT), '127.0.0.1')
