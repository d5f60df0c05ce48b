import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Starts a collector that discards all traces, so that it never slows down the exporter. */
export async function startTraceSink() {
  let exports = 0
  const server = createServer((request, response) => {
    exports += 1
    request.resume()
    request.once('end', () => response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: () => exports,
    stop: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
