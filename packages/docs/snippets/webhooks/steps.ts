import { strict as assert } from 'node:assert'
import { once } from 'node:events'
import { createCobro } from '@cobro/sdk'
import { exampleEvent, signWebhook } from '@cobro/sdk/testing'

const cobro = createCobro({ apiKey: process.env.COBRO_API_KEY, baseUrl: 'https://pay.example.com' })
// region create
const { secret } = await cobro.webhookEndpoints.create({
  url: 'https://shop.example/webhooks',
  events: ['payment.approved', 'payment.refunded'],
})
// endregion
assert.match(secret, /^whsec_/)

// The receiver is tried with a secret and at a port of its own.
const testSecret = `whsec_${Buffer.alloc(32, 'test').toString('base64')}`
Object.assign(process.env, { COBRO_WEBHOOK_SECRET: testSecret, PORT: '0' })

// region receiver
import { createServer } from 'node:http'
import { handleEvents, verifyWebhook, type WebhookEvent, WebhookVerificationError } from '@cobro/sdk/webhooks'

const { COBRO_WEBHOOK_SECRET = '', PORT = '4243' } = process.env
const maxBytes = 1_048_576

const handle = handleEvents({
  'payment.approved': transaction => console.log('deliver', transaction.order_id),
  'payment.refunded': transaction => console.log('take back', transaction.order_id),
})

// In production, insert the id in the database transaction that handles the event, into a column with a unique key.
const handled = new Set<string>()
async function handleOnce(event: WebhookEvent): Promise<void> {
  if (handled.has(event.id)) return
  handled.add(event.id)
  try {
    await handle(event)
  } catch (error) {
    handled.delete(event.id)
    throw error
  }
}

const server = createServer(async (request, response) => {
  try {
    let body = Buffer.alloc(0)
    for await (const chunk of request) {
      body = Buffer.concat([body, chunk])
      if (body.length > maxBytes) throw new Error('The body is too long.')
    }
    await handleOnce(await verifyWebhook(body, request.headers, COBRO_WEBHOOK_SECRET))
    response.writeHead(204).end()
  } catch (error) {
    response.writeHead(error instanceof WebhookVerificationError ? 400 : 500).end()
  }
})
server.listen(Number(PORT))
// endregion

await once(server, 'listening')
const address = server.address()
if (address === null || typeof address === 'string') throw new Error('The receiver has no port.')
const url = `http://localhost:${address.port}/webhooks`
const { body, headers } = await signWebhook(exampleEvent('payment.approved'), testSecret)
const post = async (sent: string) => (await fetch(url, { method: 'POST', headers, body: sent })).status
// Two deliveries of an event arrive at the same time.
for (const status of await Promise.all([post(body), post(body)])) console.log('answered', status)
console.log('answered', await post(body.replace('25000', '1')))
server.close()
