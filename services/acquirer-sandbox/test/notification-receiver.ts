import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Told {
  id: string
  type: string
  data: { key?: string; charge_key?: string }
}

/** What stands where notifications go. It answers as it is told, 204 at first, and keeps all that came. */
export interface NotificationReceiver {
  url: string
  received: { body: Buffer; headers: IncomingHttpHeaders; at: number }[]
  /** Those that came and got no answer at all. */
  hung: Told[]
  /** Decides each answer: a status, a cut connection, or none for ever. */
  answering(decide: (told: Told) => number | 'cut' | 'hang'): void
  close(): Promise<void>
}

/** Listens for notifications. */
export async function receiveNotifications(): Promise<NotificationReceiver> {
  let decide: (told: Told) => number | 'cut' | 'hang' = () => 204
  const received: NotificationReceiver['received'] = []
  const hung: Told[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const told = JSON.parse(body.toString()) as Told
    const answer = decide(told)
    if (answer === 'hang') return void hung.push(told)
    received.push({ body, headers: request.headers, at: performance.now() })
    if (answer === 'cut') request.socket.destroy()
    else response.writeHead(answer, answer === 307 ? { location: '/elsewhere' } : {}).end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/notifications`,
    received,
    hung,
    answering: next => {
      decide = next
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
