import { verifyWebhook, type WebhookEvent, WebhookRefused } from '@cobro/sdk'
import express, { type ErrorRequestHandler } from 'express'

const { COBRO_WEBHOOK_SECRET = '', PORT = '4100' } = process.env
const app = express()

// `express.raw` on this route, before any `express.json()`: the signature is over the bytes as they came.
app.post('/webhooks', express.raw({ type: '*/*', limit: '1mb' }), async (request, response) => {
  // Where nothing was sent there is no body at all.
  await handleOnce(verifyWebhook(request.body ?? '', request.headers, COBRO_WEBHOOK_SECRET))
  response.sendStatus(204)
})

/** An event may come more than once, under the same id. Yours would be remembered in a database, with what it changes there. */
const handled = new Set<string>()
async function handleOnce({ id, event, data }: WebhookEvent): Promise<void> {
  if (handled.has(id)) return
  if (event === 'payment.approved') process.stdout.write(`paid: ${data.id}\n`)
  handled.add(id)
}

const refuse: ErrorRequestHandler = (error, _request, response, _next) => {
  response.sendStatus(error instanceof WebhookRefused ? 400 : (error.status ?? 500))
}
app.use(refuse)
app.listen(Number(PORT), '127.0.0.1')
