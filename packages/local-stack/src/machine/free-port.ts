import { createServer } from 'node:net'

/** Ports from 32768 on are handed out by the system to outgoing connections, so a server's may not lie there. */
const lowest = 20_000
const highest = 32_000

/** Whether a server could listen on a port of 127.0.0.1. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)))
  })
}

/** A port below 32768 that nobody listens on. Chosen at random, so that processes that ask together get different ones. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest))
    if (await isPortFree(port)) return port
  }
}
