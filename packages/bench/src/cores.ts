import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

/** The last core is for what stands in front; the others are for all else. */
export const cores = (() => {
  const last = availableParallelism() - 1
  return { front: String(last), rest: last > 1 ? `0-${last - 1}` : '0', enough: last > 0 }
})()

/** Moves a process, its threads and all that it starts from now on to these cores. False where the system cannot. */
export function moveToCores(pid: number, list: string): boolean {
  return spawnSync('taskset', ['-apc', list, String(pid)], { stdio: 'ignore' }).status === 0
}
