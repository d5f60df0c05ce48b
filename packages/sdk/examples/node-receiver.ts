import { createServer } from 'node:http'
import { verifyWebhook, type WebhookEvent, WebhookVerificationError } from '@cobro/sdk/webhooks'

const { COBRO_WEBHOOK_SECRET = '', PORT = '4100' } = process.env
const maxBytes = 1_048_576

createServer(async (request, response) => {
  try {
    const event = await verifyWebhook(await bodyOf(request), request.headers, COBRO_WEBHOOK_SECRET)
    await handleOnce(event)
    response.writeHead(204).end()
  } catch (error) {
    response.writeHead(error instanceof WebhookVerificationError ? 400 : 500).end()
  }
}).listen(Number(PORT), '127.0.0.1')

/** Reads the raw bytes of a body. */
async function bodyOf(request: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new WebhookVerificationError('body_invalid', 'too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

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
