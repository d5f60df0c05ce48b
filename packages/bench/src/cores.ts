import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

/** The last core is for the gateway, and the others are for everything else. */
export const cores = (() => {
  const last = availableParallelism() - 1
  return { front: String(last), rest: last > 1 ? `0-${last - 1}` : '0', enough: last > 0 }
})()

/** Pins a process, its threads and future children to cores; returns false if the system cannot. */
export function moveToCores(pid: number, list: string): boolean {
  return taskset('-apc', list, String(pid))
}

/** Pins the main thread of a process: of a service its event loop, without the threads that collect garbage. */
export function moveMainThread(pid: number, list: string): boolean {
  return taskset('-pc', list, String(pid))
}

const taskset = (...args: string[]) => spawnSync('taskset', args, { stdio: 'ignore' }).status === 0
