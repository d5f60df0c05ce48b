import { createServer } from 'node:http'
import { verifyWebhook, type WebhookEvent, WebhookRefused } from '@cobro/sdk'

const { COBRO_WEBHOOK_SECRET = '', PORT = '4100' } = process.env
const maxBytes = 1_048_576

createServer(async (request, response) => {
  try {
    const event = verifyWebhook(await bodyOf(request), request.headers, COBRO_WEBHOOK_SECRET)
    await handleOnce(event)
    response.writeHead(204).end()
  } catch (error) {
    response.writeHead(error instanceof WebhookRefused ? 400 : 500).end()
  }
}).listen(Number(PORT), '127.0.0.1')

/** The bytes as they came. */
async function bodyOf(request: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new WebhookRefused('body_invalid', 'too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** An event may come more than once, under the same id. Yours would be remembered in a database, with what it changes there. */
const handled = new Set<string>()
async function handleOnce({ id, event, data }: WebhookEvent): Promise<void> {
  if (handled.has(id)) return
  if (event === 'payment.approved') process.stdout.write(`paid: ${data.id}\n`)
  handled.add(id)
}
