import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Starts an acquirer that approves every charge at once. */
export async function startInstantAcquirer() {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const key = request.headers['idempotency-key']
      const answer = { key, status: 'approved', reference: `ch_${key}`, response_code: '00', risk_score: 3 }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
