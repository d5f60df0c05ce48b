import { readFileSync } from 'node:fs'

/** Linux counts in ticks of a hundredth of a second. */
const tickUs = 10_000

/**
 * Returns the CPU time of a process in microseconds, with that of its ended children if wanted. NaN
 * on systems other than Linux.
 */
export function cpuTimeUs(pid: number, { withReaped = false } = {}): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    const ticks = fields.slice(11, withReaped ? 15 : 13)
    return ticks.reduce((sum, field) => sum + Number(field), 0) * tickUs
  } catch {
    return Number.NaN
  }
}
