import { verifyWebhook, WebhookRefused } from '@cobro/sdk'
import express, { type ErrorRequestHandler } from 'express'

const { COBRO_WEBHOOK_SECRET = '', PORT = '4100' } = process.env
const app = express()

// `express.raw` on this route, before any `express.json()`: the signature is over the bytes as they came.
app.post('/webhooks', express.raw({ type: '*/*', limit: '1mb' }), (request, response) => {
  const { event, data } = verifyWebhook(request.body, request.headers, COBRO_WEBHOOK_SECRET)
  if (event === 'payment.approved') process.stdout.write(`paid: ${data.id}\n`)
  response.sendStatus(204)
})

const refuse: ErrorRequestHandler = (error, _request, response, _next) => {
  response.sendStatus(error instanceof WebhookRefused ? 400 : 500)
}
app.use(refuse)
app.listen(Number(PORT), '127.0.0.1')
