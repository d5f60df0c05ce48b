import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { secret } from '@cobro/runtime'
import { type HttpAcquirer, httpAcquirer } from '../src/index.ts'

const open: { server: Server; acquirer: HttpAcquirer }[] = []

/** Starts an HTTP server and an adapter connected to it, with a long timeout for busy machines. */
export async function acquirerAt(listener: RequestListener, { path = '', timeoutMs = 60_000 } = {}) {
  const server = createServer(listener)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`
  const acquirer = httpAcquirer({ url, apiKey: secret('acq_secret'), timeoutMs, findDelaysMs: [0, 20, 20] })
  open.push({ server, acquirer })
  return { acquirer, url }
}

/** A response of the scripted server: a status and a body, or a cut connection. */
export type ScriptedResponse = [number, unknown] | 'cut'

/** Starts a server that records requests and sends each response in turn, then repeats the last. */
export async function respondingWith(...responses: ScriptedResponse[]) {
  const requests: { line: string; key: unknown; body: string }[] = []
  const listener: RequestListener = async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    requests.push({ line: `${request.method} ${request.url}`, key: request.headers['idempotency-key'], body })
    const scripted = (responses.length > 1 ? responses.shift() : responses[0]) ?? 'cut'
    if (scripted === 'cut') return void request.socket.destroy()
    sendJson(response, ...scripted)
  }
  return { ...(await acquirerAt(listener)), requests }
}

export const sendJson = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

/** Closes every server and adapter that a test opened. */
export async function closeServers(): Promise<void> {
  for (const { server, acquirer } of open.splice(0)) {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
    await acquirer.close()
  }
}
