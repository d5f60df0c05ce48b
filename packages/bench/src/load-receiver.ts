import { text } from 'node:stream/consumers'
import type { OnStop } from '@cobro/runtime'
import { startServer } from './bench-stack.ts'
import { epochMs } from './epoch-ms.ts'

/** The latencies of each event of a run, by event number. */
interface Seen {
  /** Since the event was due. */
  delaysMs: Map<number, number>
  /** Since its commit began. */
  fromEmitMs: Map<number, number>
  doubled: number
}

/** Starts the merchants' server. `/hang` never responds; every other path acknowledges at once. */
export async function startLoadReceiver(onStop: OnStop) {
  const runs = new Map<string, Seen>()
  const of = (run: string) => {
    const seen = runs.get(run) ?? { delaysMs: new Map(), fromEmitMs: new Map(), doubled: 0 }
    runs.set(run, seen)
    return seen
  }
  const record = (body: string) => {
    const receivedMs = epochMs()
    const { run, due_ms, emitted_ms, number } = JSON.parse(body).data.metadata
    const seen = of(run)
    if (seen.delaysMs.has(Number(number))) {
      seen.doubled += 1
      return
    }
    seen.delaysMs.set(Number(number), receivedMs - Number(due_ms))
    seen.fromEmitMs.set(Number(number), receivedMs - Number(emitted_ms))
  }
  let hanging = 0
  const url = await startServer((request, response) => {
    if (request.url === '/hang') {
      hanging += 1
      request.resume()
      return
    }
    const received = (body: string) => {
      record(body)
      response.end()
    }
    // A request that its sender aborts is not recorded.
    void text(request).then(received, () => undefined)
  }, onStop)
  /** `hanging` returns the number of requests without a response. */
  return { url, of, hanging: () => hanging }
}
