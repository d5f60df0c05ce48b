import { createServer } from 'node:net'

/** Linux assigns ports from 32768 to outgoing connections, so servers use lower ones. */
const lowest = 20_000
const highest = 32_000

/** Returns whether a server could listen on this port of 127.0.0.1. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)))
  })
}

/** Returns a free port below 32768, at random so that concurrent callers get different ones. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest))
    if (await isPortFree(port)) return port
  }
}
