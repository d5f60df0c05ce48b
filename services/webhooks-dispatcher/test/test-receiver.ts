import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** A webhook as received. */
export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
  at: number
}

type ReceiverResponse = { status: number; headers?: Record<string, string>; body?: string; afterMs?: number } | 'hang'

/** Starts the server of a merchant. `answer` gets the path, the number of earlier requests to it, and the webhook. */
export async function startReceiver(
  answer: (path: string, before: number, webhook: Received) => ReceiverResponse = () => ({ status: 200 }),
) {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const path = request.url ?? ''
    const before = received.filter(one => one.path === path).length
    const webhook = { path, headers: request.headers, body: Buffer.concat(chunks), at: Date.now() }
    received.push(webhook)
    const given = answer(path, before, webhook)
    if (given === 'hang') return
    if (given.afterMs) await pause(given.afterMs)
    response.writeHead(given.status, given.headers).end(given.body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    at: (path: string) => received.filter(one => one.path === path),
    stop: async () => {
      server.closeAllConnections()
      await server[Symbol.asyncDispose]()
    },
  }
}
