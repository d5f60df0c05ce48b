import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A webhook as received. */
export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
  at: number
}

type FixedResponse = { status: number; headers?: Record<string, string>; body?: string; after?: Promise<unknown> }
type ReceiverResponse = FixedResponse | 'hang'

/** Starts a merchant's server. `answer` gets the path, its earlier requests' count, the webhook. */
export async function startReceiver(
  answer: (path: string, before: number, webhook: Received) => ReceiverResponse = () => ({ status: 200 }),
) {
  const received: Received[] = []
  const hanging = new Map<string, { now: Set<ServerResponse>; most: number }>()
  const hang = (path: string, response: ServerResponse) => {
    const open = hanging.get(path) ?? { now: new Set(), most: 0 }
    hanging.set(path, open)
    open.now.add(response)
    open.most = Math.max(open.most, open.now.size)
    response.once('close', () => open.now.delete(response))
  }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const path = request.url ?? ''
    const before = received.filter(one => one.path === path).length
    const webhook = { path, headers: request.headers, body: Buffer.concat(chunks), at: Date.now() }
    received.push(webhook)
    const given = answer(path, before, webhook)
    if (given === 'hang') return hang(path, response)
    await given.after
    response.writeHead(given.status, given.headers).end(given.body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    at: (path: string) => received.filter(one => one.path === path),
    /** Returns the highest number of simultaneously waiting requests to a path. */
    mostHanging: (path: string) => hanging.get(path)?.most ?? 0,
    /** Closes the connections of the requests to a path that wait for a response. */
    cutHanging: (path: string) => {
      for (const response of hanging.get(path)?.now ?? []) response.destroy()
    },
    stop: async () => {
      server.closeAllConnections()
      await server[Symbol.asyncDispose]()
    },
  }
}
