import { setTimeout as sleep } from 'node:timers/promises'
import type { Processes } from './payment-costs.ts'

/** A system to measure, with its processes. */
export interface Turn<Result> {
  own: Processes
  measure: () => Promise<Result>
}

/** RabbitMQ closes the connections of a process that is silent for this long. */
const longestTurnMs = 20_000
/** Until timers that were due while a process was stopped have fired, and connections have closed that were idle for too long. */
const wakeMs = 500

/**
 * Measures systems in turns, so that the machine's changes of speed affect all of them, and returns the results of each by
 * round. Throws if a turn is so long that the broker disconnects the others.
 */
export async function takeTurns<Result>(systems: Turn<Result>[], rounds: number): Promise<Result[][]> {
  const results: Result[][] = systems.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const [at, system] of systems.entries()) {
      const others = systems.filter(other => other !== system).map(({ own }) => own)
      const startMs = performance.now()
      results[at]?.push(await whileStopped(others, system.measure))
      if (performance.now() - startMs > longestTurnMs)
        throw new Error(`A turn took longer than ${longestTurnMs / 1000} s.`)
    }
  }
  return results
}

/** Stops processes until `work` has ended, because their polls would otherwise count in the CPU time of the servers. */
export async function whileStopped<Result>(stopped: Processes[], work: () => Promise<Result>): Promise<Result> {
  const pids = stopped.flatMap(processes => Object.values(processes))
  if (!pids.every(pid => pid > 0)) throw new Error('A process to stop has no id.')
  try {
    for (const pid of pids) process.kill(pid, 'SIGSTOP')
    await sleep(wakeMs)
    return await work()
  } finally {
    for (const pid of pids) resume(pid)
  }
}

function resume(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT')
  } catch {
    // It has ended, and its next use fails.
  }
}
