import { readFileSync } from 'node:fs'

/** Linux counts in ticks of a hundredth of a second. */
const tickUs = 10_000

/** Returns the CPU time of a process in microseconds. NaN on systems other than Linux. */
export function cpuTimeUs(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    return (Number(fields[11]) + Number(fields[12])) * tickUs
  } catch {
    return Number.NaN
  }
}
