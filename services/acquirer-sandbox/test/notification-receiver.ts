import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

interface ReceivedNotification {
  id: string
  type: string
  data: { key?: string; charge_key?: string }
}

/** An HTTP server that records notifications and answers 204 unless `respondWith` changes that. */
export interface NotificationReceiver {
  url: string
  received: { body: Buffer; headers: IncomingHttpHeaders; at: number }[]
  /** The notifications that got no response. */
  unanswered: ReceivedNotification[]
  /** Sets the function that decides each response: a status, a cut connection, or none. */
  respondWith(decide: (notification: ReceivedNotification) => number | 'cut' | 'hang'): void
  close(): Promise<void>
}

/** Starts a receiver of notifications. */
export async function receiveNotifications(): Promise<NotificationReceiver> {
  let decide: (notification: ReceivedNotification) => number | 'cut' | 'hang' = () => 204
  const received: NotificationReceiver['received'] = []
  const unanswered: ReceivedNotification[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const notification = JSON.parse(body.toString()) as ReceivedNotification
    const answer = decide(notification)
    if (answer === 'hang') return void unanswered.push(notification)
    received.push({ body, headers: request.headers, at: performance.now() })
    if (answer === 'cut') request.socket.destroy()
    else response.writeHead(answer, answer === 307 ? { location: '/elsewhere' } : {}).end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/notifications`,
    received,
    unanswered,
    respondWith: next => {
      decide = next
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
