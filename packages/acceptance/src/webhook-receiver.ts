import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A received webhook: its bytes as text, and the answer's status. */
export interface ReceivedWebhook {
  headers: IncomingHttpHeaders
  rawBody: string
  status: number
  body: any
}

/** Starts a merchant's receiver, on a free port by default. `answer` chooses the status of each delivery, 200 by default. */
export async function startReceiver(
  answer: (received: ReceivedWebhook, before: ReceivedWebhook[]) => number = () => 200,
  port = 0,
) {
  const received: ReceivedWebhook[] = []
  const server = createServer(async (request, response) => {
    let rawBody = ''
    for await (const chunk of request) rawBody += chunk
    const webhook = { headers: request.headers, rawBody, status: 0, body: JSON.parse(rawBody) }
    webhook.status = answer(webhook, [...received])
    received.push(webhook)
    response.writeHead(webhook.status).end('noted')
  })
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received,
    /** The names of the acknowledged events, with repetitions. */
    acknowledged: () => received.filter(webhook => webhook.status < 300).map(webhook => webhook.body.event as string),
    stop: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

/** Verifies a delivery as documented: an HMAC of the received bytes, keyed by the whole secret. */
export function isSigned({ headers, rawBody }: ReceivedWebhook, secret: string): boolean {
  const timestamp = String(headers['x-service-signature-timestamp'])
  const expected = createHmac('sha256', secret).update(`${timestamp}.${rawBody}`).digest('hex')
  return headers['x-service-signature-v1'] === expected && Math.abs(Date.now() / 1000 - Number(timestamp)) < 300
}
