import { text } from 'node:stream/consumers'
import type { OnStop } from '@cobro/runtime'
import { startServer } from './bench-stack.ts'

/** The latency of each event of a run, by event number. */
interface Seen {
  delaysMs: Map<number, number>
  doubled: number
}

/** Starts the merchants' server. `/hang` never responds; every other path acknowledges at once. */
export async function startLoadReceiver(onStop: OnStop) {
  const runs = new Map<string, Seen>()
  const of = (run: string) => {
    const seen = runs.get(run) ?? { delaysMs: new Map(), doubled: 0 }
    runs.set(run, seen)
    return seen
  }
  const record = (body: string) => {
    const { run, due_ms, number } = JSON.parse(body).data.metadata
    const seen = of(run)
    if (seen.delaysMs.has(Number(number))) seen.doubled += 1
    // The time since the epoch, as `Date.now()`, but with fractions of a millisecond.
    else seen.delaysMs.set(Number(number), performance.timeOrigin + performance.now() - Number(due_ms))
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
