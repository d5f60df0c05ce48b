import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What stands where notifications go. It answers as it is told, 204 at first, and keeps all that came. */
export interface NotificationReceiver {
  url: string
  received: { body: Buffer; headers: IncomingHttpHeaders; at: number; answer: number }[]
  /** Decides each answer: a status, or undefined for a cut connection. */
  answering(decide: (notification: { id: string; type: string }) => number | undefined): void
  close(): Promise<void>
}

/** Listens for notifications. */
export async function receiveNotifications(): Promise<NotificationReceiver> {
  let decide: (notification: { id: string; type: string }) => number | undefined = () => 204
  const received: NotificationReceiver['received'] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const answer = decide(JSON.parse(body.toString()))
    received.push({ body, headers: request.headers, at: performance.now(), answer: answer ?? 0 })
    if (answer === undefined) request.socket.destroy()
    else response.writeHead(answer, answer === 307 ? { location: '/elsewhere' } : {}).end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/notifications`,
    received,
    answering: next => {
      decide = next
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
