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

/** The calls that were answered. */
export interface HostileLoaded {
  answered: number
}

const tickMs = 2
const connections = 16

// The reads that are measured come from this core too, and must not wait for this process.
setPriority(10)
process.on('message', (load: HostileLoad) => void sendAll(load).then(loaded => process.send?.(loaded)))
process.once('disconnect', () => process.exit(0))
process.send?.('ready')

/**
 * Sends calls at their times, whether or not those before them have been answered. When this process had to wait for
 * a processor, it continues at the same rate instead of sending what is overdue at once.
 */
async function sendAll({ url, perSecond, seconds }: HostileLoad): Promise<HostileLoaded> {
  const pool = new Pool(url, { connections })
  const perTick = Math.ceil((perSecond * tickMs) / 1000)
  const calls: Promise<number>[] = []
  const startMs = performance.now()
  for (let elapsedMs = 0; elapsedMs < seconds * 1000; elapsedMs = performance.now() - startMs) {
    for (let sent = 0; sent < perTick; sent++) calls.push(send(pool, calls.length))
    await sleep(Math.max(0, (calls.length / perSecond) * 1000 - elapsedMs))
  }
  const answers = await Promise.all(calls)
  await pool.close()
  return { answered: answers.filter(status => status > 0).length }
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
