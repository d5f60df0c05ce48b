import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** A call of the load. Its unique name is sent as its `User-Agent`. */
export interface LoadCall {
  name: string
  /** The answer; undefined if the connection was cut or refused. */
  answer?: { status: number; request_id: string | undefined }
}

export interface LoadRequest {
  method: string
  path: string
  headers?: Record<string, string>
  body?: object
}

/** Calls a gateway continuously, whatever happens to it. */
export interface SteadyLoad {
  readonly calls: readonly LoadCall[]
  /** Sets how many calls begin per second, whether or not earlier ones have been answered. */
  pace: (callsPerSecond: number) => void
  /** Stops making calls and waits until all have ended. */
  stop: () => Promise<void>
}

const timeoutMs = 40_000

/** Makes the calls that `next` returns, by default 50 per second. `label` prefixes their names. */
export function steadyLoad(baseUrl: string, label: string, next: () => LoadRequest): SteadyLoad {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 })
  const calls: LoadCall[] = []
  const running = new Set<Promise<void>>()
  let everyMs = 20
  let stopping = false

  const begin = () => {
    const call: LoadCall = { name: `${label}/${calls.length}` }
    calls.push(call)
    const ended = send(baseUrl, agent, call.name, next()).then(answer => {
      if (answer) call.answer = answer
      running.delete(ended)
    })
    running.add(ended)
  }
  const calling = (async () => {
    // Paced by the clock, because timers fire late on a busy machine.
    for (let due = performance.now(); !stopping; due += everyMs) {
      const waitMs = due - performance.now()
      if (waitMs > 0) await sleep(waitMs)
      begin()
    }
  })()
  return {
    calls,
    pace: callsPerSecond => {
      everyMs = 1000 / callsPerSecond
    },
    stop: async () => {
      stopping = true
      await calling
      await Promise.all(running)
      agent.destroy()
    },
  }
}

/** Measures how many calls per second are answered when 20 clients call sequentially. */
export async function measuredRate(baseUrl: string, next: () => LoadRequest, forMs: number): Promise<number> {
  const agent = new Agent({ keepAlive: true })
  const until = Date.now() + forMs
  let answered = 0
  const client = async () => {
    while (Date.now() < until) if (await send(baseUrl, agent, 'measured', next())) answered++
  }
  await Promise.all(Array.from({ length: 20 }, client))
  agent.destroy()
  return (answered * 1000) / forMs
}

/** Makes one call on a kept-alive connection; never resends it. */
function send(baseUrl: string, agent: Agent, name: string, { method, path, headers, body }: LoadRequest) {
  const text = body === undefined ? undefined : JSON.stringify(body)
  const json =
    text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
  return new Promise<LoadCall['answer']>(resolve => {
    const outgoing = request(
      new URL(path, baseUrl),
      { agent, method, headers: { ...headers, ...json, 'user-agent': name }, timeout: timeoutMs },
      response => {
        const { statusCode: status = 0, headers } = response
        // The head decides the answer, even if the rest is cut off.
        resolve({ status, request_id: headers['x-request-id'] as string | undefined })
        response.on('error', () => undefined).resume()
      },
    )
    outgoing.once('timeout', () => outgoing.destroy(new Error('no answer in time')))
    outgoing.once('error', () => resolve(undefined))
    outgoing.end(text)
  })
}
