import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** A request as a service receives it. */
export interface Received {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

type UpstreamHandler = (request: Received, response: ServerResponse, raw: IncomingMessage) => unknown

/** A stub for the services behind the gateway: it stores requests and responds as configured. */
export async function upstreamStub() {
  const received: Received[] = []
  let readinessChecks = 0
  const standard: UpstreamHandler = (request, response) => {
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify({ data: { method: request.method, url: request.url } }))
  }
  const isReady = (response: ServerResponse): unknown => response.end('{}')
  const stub = {
    url: '',
    received,
    /** The number of readiness checks received. */
    readinessChecks: () => readinessChecks,
    answer: standard,
    /** Responds to readiness checks. */
    ready: isReady,
    /** Called with the head only, before the body is read. */
    onHead: undefined as ((raw: IncomingMessage, response: ServerResponse) => void) | undefined,
    reset() {
      received.length = 0
      stub.answer = standard
      stub.ready = isReady
      stub.onHead = undefined
    },
    close: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  // Keeps idle connections open for longer than the gateway: closing one while a call is being sent on it would fail that call.
  const server = createServer({ keepAliveTimeout: 60_000 }, async (raw, response) => {
    if (raw.url === '/health/ready') {
      readinessChecks++
      return void stub.ready(response)
    }
    // Its statuses are made up, so the API description does not list them.
    response.setHeader('X-Made-Up-By-Test', '1')
    stub.onHead?.(raw, response)
    try {
      const body = (await buffer(raw)).toString()
      const request = { method: raw.method ?? '', url: raw.url ?? '', headers: raw.headers, body }
      received.push(request)
      await stub.answer(request, response, raw)
    } catch {
      response.destroy()
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  stub.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return stub
}

export type UpstreamStub = Awaited<ReturnType<typeof upstreamStub>>
