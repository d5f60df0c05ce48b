import { setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { hostileCalls } from './hostile-calls.ts'

/** Hostile calls to send, evenly spread over the time. */
export interface HostileLoad {
  url: string
  perSecond: number
  seconds: number
}

/** The calls that were answered, and the load's lag behind its schedule. */
export interface HostileLoaded {
  answered: number
  behindMs: number
}

const tickMs = 2
const connections = 16

// The reads that are measured come from this core too, and must not wait for this process.
setPriority(10)
process.on('message', (load: HostileLoad) => void sendAll(load).then(loaded => process.send?.(loaded)))
process.once('disconnect', () => process.exit(0))
process.send?.('ready')

/** Sends each call at its time, whether or not those before it have been answered. */
async function sendAll({ url, perSecond, seconds }: HostileLoad): Promise<HostileLoaded> {
  const pool = new Pool(url, { connections })
  const total = perSecond * seconds
  const startMs = performance.now()
  const calls: Promise<number>[] = []
  let behindMs = 0
  for (let next = 0; next < total; await sleep(tickMs)) {
    const elapsedMs = performance.now() - startMs
    const due = Math.min(total, Math.floor((elapsedMs / 1000) * perSecond) + 1)
    behindMs = Math.max(behindMs, elapsedMs - (next / perSecond) * 1000)
    for (; next < due; next++) calls.push(send(pool, next))
  }
  const answers = await Promise.all(calls)
  await pool.close()
  return { answered: answers.filter(status => status > 0).length, behindMs }
}

/** Returns the status of the answer, or 0 without one. */
async function send(pool: Pool, number: number): Promise<number> {
  const call = hostileCalls[number % hostileCalls.length]
  if (!call) return 0
  try {
    const { statusCode, body } = await pool.request(call)
    await body.dump()
    return statusCode
  } catch {
    return 0
  }
}
