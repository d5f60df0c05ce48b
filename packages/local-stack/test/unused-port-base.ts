import { isPortFree } from '../src/machine/free-port.ts'

/** Returns a base with all of a stack's ports free. Other tests may take ports from 20000 on. */
export async function unusedPortBase(): Promise<number> {
  const base = 10_100 + 100 * Math.floor(Math.random() * 90)
  const free = await Promise.all(Array.from({ length: 100 }, (_, offset) => isPortFree(base + offset)))
  return free.every(Boolean) ? base : unusedPortBase()
}
