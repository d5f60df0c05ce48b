import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A webhook as it came in: the bytes as text, and what was answered. */
export interface ReceivedWebhook {
  headers: IncomingHttpHeaders
  rawBody: string
  status: number
  body: any
}

/** Starts a merchant's receiver. `answer` chooses the status of each delivery; 200 where it is left out. */
export async function startReceiver(
  answer: (received: ReceivedWebhook, before: ReceivedWebhook[]) => number = () => 200,
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
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received,
    /** The names of the events that were acknowledged, each as often as it was. */
    acknowledged: () => received.filter(webhook => webhook.status < 300).map(webhook => webhook.body.event as string),
    stop: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

/** Verifies a delivery as the documentation tells merchants to: the whole secret keys the HMAC, over the bytes as they came. */
export function isSigned({ headers, rawBody }: ReceivedWebhook, secret: string): boolean {
  const timestamp = String(headers['x-service-signature-timestamp'])
  const expected = createHmac('sha256', secret).update(`${timestamp}.${rawBody}`).digest('hex')
  return headers['x-service-signature-v1'] === expected && Math.abs(Date.now() / 1000 - Number(timestamp)) < 300
}
