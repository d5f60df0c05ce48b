import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { cpuTimeUs } from './cpu-time.ts'

/** The number of cores busy over a period: with this process tree, and with everything else. */
export interface MachineLoad {
  cores: number
  own: number
  others: number
}

/** Starts measuring. Returns a function that ends it and returns the load: NaN except on Linux. */
export function measureMachine(): () => MachineLoad {
  const [startMs, busy, own] = [performance.now(), busyMs(), ownMs()]
  return () => {
    const passedMs = performance.now() - startMs
    const [allCores, ownCores] = [(busyMs() - busy) / passedMs, (ownMs() - own) / passedMs]
    return { cores: availableParallelism(), own: ownCores, others: Math.max(0, allCores - ownCores) }
  }
}

function busyMs(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0)
}

/** The CPU time of this process and its descendants, without those that have exited. */
function ownMs(): number {
  const parents = new Map(processIds().map(pid => [pid, parentOf(pid)]))
  const isOwn = (pid: number | undefined): boolean =>
    pid !== undefined && pid > 1 && (pid === process.pid || isOwn(parents.get(pid)))
  const times = [...parents.keys()].filter(isOwn).map(pid => cpuTimeUs(pid))
  return times.reduce((sum, us) => sum + (Number.isNaN(us) ? 0 : us), 0) / 1000
}

/** Returns the children of a process. */
export function childrenOf(pid: number): number[] {
  return processIds().filter(child => parentOf(child) === pid)
}

function processIds(): number[] {
  return existsSync('/proc') ? readdirSync('/proc').map(Number).filter(Number.isInteger) : []
}

function parentOf(pid: number): number {
  try {
    return Number(/\) . (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1])
  } catch {
    return 0
  }
}
