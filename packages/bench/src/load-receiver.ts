import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The latency of each event of a run, by event number. */
interface Seen {
  delaysMs: Map<number, number>
  doubled: number
}

/** Starts the merchants' server. `/hang` never responds; every other path acknowledges at once. */
export async function startLoadReceiver() {
  const runs = new Map<string, Seen>()
  const of = (run: string) => {
    const seen = runs.get(run) ?? { delaysMs: new Map(), doubled: 0 }
    runs.set(run, seen)
    return seen
  }
  const note = (body: string) => {
    const { run, due_ms, number } = JSON.parse(body).data.metadata
    const seen = of(run)
    if (seen.delaysMs.has(Number(number))) seen.doubled += 1
    else seen.delaysMs.set(Number(number), Date.now() - Number(due_ms))
  }
  let hanging = 0
  const server = createServer((request, response) => {
    if (request.url === '/hang') {
      hanging += 1
      request.resume()
      return
    }
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => {
      note(Buffer.concat(chunks).toString())
      response.end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    of,
    /** The number of requests without a response. */
    hanging: () => hanging,
    stop: async () => {
      server.closeAllConnections()
      await server[Symbol.asyncDispose]()
    },
  }
}
