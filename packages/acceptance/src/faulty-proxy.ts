import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** What becomes of a request on its way. */
export type Fault =
  | 'none'
  /** The connection is lost before the server gets the request. */
  | 'lost'
  /** The connection is lost when the server has answered. */
  | 'unanswered'
  /** The connection is lost in the middle of the answer. */
  | 'cut'
  /** An error instead of the request: nothing happens. */
  | 429
  /** An error instead of the answer: the server has handled the request. */
  | 500
  | 503
  | 504

/** A reverse proxy that lets requests fail. */
export interface FaultyProxy {
  url: string
  close: () => Promise<void>
}

/** Starts a proxy in front of a server. `nextFault` says what becomes of each request. */
export async function startFaultyProxy(targetUrl: string, nextFault: () => Fault): Promise<FaultyProxy> {
  const server = createServer(async (incoming, outgoing) => {
    const fault = nextFault()
    const body = await buffer(incoming)
    if (fault === 'lost') return void incoming.socket.destroy()
    if (fault === 429) return void answerWith(outgoing, fault)
    const answer = await forward(targetUrl, incoming, body)
    if (fault === 'unanswered') return void incoming.socket.destroy()
    if (fault === 500 || fault === 503 || fault === 504) return void answerWith(outgoing, fault)
    outgoing.writeHead(answer.status, answer.headers)
    if (fault === 'none') return void outgoing.end(answer.body)
    outgoing.write(answer.body.subarray(0, answer.body.length / 2), () => incoming.socket.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

function answerWith(outgoing: ServerResponse, status: number): void {
  outgoing.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' })
  outgoing.end(JSON.stringify({ error: 'a_fault' }))
}

async function forward(targetUrl: string, incoming: IncomingMessage, body: Buffer) {
  const { method, url = '/' } = incoming
  const { host: _host, ...headers } = incoming.headers
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(new URL(url, targetUrl), { method, headers })
    sent.once('response', resolve).once('error', reject).end(body)
  })
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: await buffer(answer) }
}
